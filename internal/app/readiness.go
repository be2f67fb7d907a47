package app

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"mintmark/internal/store"
)

// readiness is what /readyz?verbose answers.
type readiness struct {
	Ready       bool              `json:"ready"`
	Reason      string            `json:"reason,omitempty"` // why it is not ready
	Version     string            `json:"version"`
	Environment store.Environment `json:"environment"`
	Store       string            `json:"store"`  // embedded, postgresql or memory
	Node        string            `json:"node"`   // the name in this process's leases
	Keyset      string            `json:"keyset"` // fingerprint
	PinKey      string            `json:"pinKey"` // fingerprint
}

// readiness describes the process, given why it is not ready.
func (a *App) readiness(unready error) readiness {
	found := readiness{
		Ready: unready == nil, Version: Version().Version,
		Environment: a.installation.Environment, Store: a.place().engine(), Node: a.node,
		Keyset: a.installation.Keyset, PinKey: a.installation.PinKey,
	}
	if unready != nil {
		found.Reason = reason(unready)
	}
	return found
}

// ready answers whether load balancers should send requests to this process: whether it can write
// to its database.
func (a *App) ready(w http.ResponseWriter, r *http.Request) {
	err := a.service.Ready(r.Context())
	if errors.Is(r.Context().Err(), context.Canceled) {
		return // the client has disconnected; the database may be well
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
		_ = encoder.Encode(a.readiness(err)) // an error means that the client has disconnected
	case err != nil:
		http.Error(w, reason(err), http.StatusServiceUnavailable)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// reason is one line for operators on why the process is not ready.
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
