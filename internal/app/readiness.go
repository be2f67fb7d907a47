package app

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"mintmark/internal/base/version"
	"mintmark/internal/store"
)

// readiness is the response of /readyz?verbose.
type readiness struct {
	Ready       bool              `json:"ready"`
	Reason      string            `json:"reason,omitempty"` // why it is not ready
	Version     string            `json:"version"`
	Environment store.Environment `json:"environment"`
	Store       string            `json:"store"`   // embedded, postgresql or memory
	Node        string            `json:"node"`    // the name in this process's leases
	Keyset      string            `json:"keyset"`  // fingerprint
	PinKey      string            `json:"pinKey"`  // fingerprint of the published one
	PinKeys     []string          `json:"pinKeys"` // that decrypt PINs here
	Sealed      int               `json:"sealedEntries"`
	SealingLag  float64           `json:"sealingLagSeconds"` // age of the oldest unsealed entry
	// Clock is absent unless the clock of this machine has jumped.
	Clock *clockState `json:"clock,omitempty"`
	// Jobs are the jobs of all nodes, from the database; absent when it cannot be read.
	Jobs []jobState `json:"jobs,omitempty"`
}

// jobState is the state of a job.
type jobState struct {
	Name   string    `json:"name"`
	State  string    `json:"state"` // running, done or failed
	Node   string    `json:"node"`  // the node that has the job
	Began  time.Time `json:"began"` // the last run
	Ended  time.Time `json:"ended,omitzero"`
	Next   time.Time `json:"next"`
	Error  string    `json:"error,omitempty"` // of the last failed run
	Failed time.Time `json:"failed,omitzero"` // time of the first of the consecutive failures
}

func showJob(s store.JobState) jobState {
	shown := jobState{
		Name: s.Name, State: "done", Node: s.Node, Began: s.Began, Ended: s.Ended, Next: s.Next,
		Error: s.Error, Failed: s.Failed,
	}
	switch {
	case s.Running():
		shown.State = "running"
	case s.Failing():
		shown.State = "failed"
	}
	return shown
}

// readiness describes the process; unready is the reason why it is not ready, or nil.
func (a *App) readiness(ctx context.Context, unready error) readiness {
	list := readiness{
		Ready: unready == nil, Version: version.Current().Version,
		Environment: a.installation.Environment, Store: a.Location().Engine(), Node: a.node,
		Keyset: a.vault.Fingerprints().Keyset, PinKey: a.vault.Fingerprints().PinKey,
		PinKeys: a.vault.PinKeys(),
		Sealed:  a.sealer.Status().Sealed, SealingLag: a.sealer.Lag().Seconds(),
		Clock: a.clockState(),
	}
	if unready != nil {
		list.Reason = reason(unready)
	}
	// Even without the states of the jobs the response is useful.
	if states, err := a.service.Overview.Jobs(ctx); err == nil {
		for _, s := range states {
			list.Jobs = append(list.Jobs, showJob(s))
		}
	}
	return list
}

// ready reports to load balancers whether to send requests to this process: whether it can write to
// its database.
func (a *App) ready(w http.ResponseWriter, r *http.Request) {
	err := a.service.Overview.Ready(r.Context())
	if errors.Is(r.Context().Err(), context.Canceled) {
		return // the client has disconnected; the database may be fine
	}
	a.noteReadiness(err)
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.URL.Query().Has("verbose"):
		w.Header().Set("Content-Type", "application/json")
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		// An error means that the client has disconnected.
		_ = encoder.Encode(a.readiness(r.Context(), err))
	case err != nil:
		http.Error(w, reason(err), http.StatusServiceUnavailable)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// reason describes in one line, for operators, why the process is not ready.
func reason(err error) string { return "nothing can be written: " + err.Error() }

// noteReadiness logs each change of readiness.
func (a *App) noteReadiness(err error) {
	unready := err != nil
	if a.unready.Swap(unready) == unready {
		return
	}
	if unready {
		a.Log.Error("not ready", "error", err)
		return
	}
	a.Log.Info("ready again")
}
