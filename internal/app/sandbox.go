package app

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	wire "mintmark/client/sandbox"
	"mintmark/internal/app/demo"
	"mintmark/internal/base/version"
	connection "mintmark/internal/base/wire"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/face/sandbox"
	"mintmark/internal/face/web"
	"mintmark/internal/importer/load"
)

// environmentHeader names the environment in every answer of a sandbox.
const environmentHeader = "Mintmark-Environment"

// openControls makes the control face of a sandbox. Production has none.
func (a *App) openControls() {
	if !a.Sandbox {
		return
	}
	host := a.newHost("request identifiers of controls", web.Settings{
		BodyLimit: sandbox.MaxBodyBytes, BodyTimeout: a.Limits.BodyTimeout,
		AnswerTimeout: a.Limits.AnswerTimeout,
	})
	a.controlFace = host.Handler(sandbox.New(a.worlds.controls))
}

// withSandbox serves the controls of a sandbox beside the other pages of the admin address.
func (a *App) withSandbox(pages http.Handler) http.Handler {
	if !a.Sandbox {
		return pages
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, sandbox.Prefix) {
			a.controlFace.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// keepTime has what falls due in a sandbox happen at its moment, from the moment on at which an
// earlier process has stopped. Production has jobs for it.
func (a *App) keepTime(ctx context.Context) error {
	if !a.Sandbox {
		return nil
	}
	a.time = sandbox.NewTimekeeper(a.service, a.Clock, a.Log, a.orders.DeliverDue)
	a.orders.Turn = a.time.Turn
	return a.time.Begin(ctx)
}

// orInOrder returns a job as production runs it. In a sandbox each of them does whatever is due, in
// order.
func (a *App) orInOrder(run func(context.Context) error) func(context.Context) error {
	if a.time != nil {
		return a.time.CatchUp
	}
	return run
}

// controls are the parts of this sandbox that can be moved from outside.
func (a *App) controls() *sandbox.Controls {
	return &sandbox.Controls{
		Service: a.service, Store: a.store, Clock: a.Clock, Time: a.time, Chance: a.chance,
		Processor:  a.port.(inProcess).Port,
		OpenNumber: a.service.Keys.OpenNumber, CarryOut: a.resumeOrders, Faults: a.faults,
		Requests: a.requests,
		About: sandbox.About{
			URL: a.URL, AdminURL: a.AdminURL, Persistent: a.Data != "", Seed: a.Seed,
			Version: version.Current().Version, PinKeyPEM: a.vault.PublicPinKeyPEM, Keys: demoKeys(),
		},
		Worlds: a.worlds.kept, Fill: a.fill, Hold: a.hold, Replace: a.replaceWorld,
		Follow: a.follow, KeepClock: a.keepClock, Started: a.worlds.started,
		Noted: a.noted(),
	}
}

// noted are the parts that remember more than the store.
func (a *App) noted() map[string]sandbox.Noted {
	return map[string]sandbox.Noted{
		"callers": a.callers, "chance": sandbox.Streams{Streams: a.chance},
		"faults": a.faults, "processor": a.port.(inProcess).Port, "service": a.service,
	}
}

// demoKeys are the keys of the demo data, each with what is special about it.
func demoKeys() []wire.Key {
	var keys []wire.Key
	for _, key := range demo.Keys() {
		keys = append(keys, wire.Key{
			Name: key.Name, Secret: key.Secret.Reveal(), ProgramID: key.ProgramID,
			Version: key.Version, Note: keyNote(key),
		})
	}
	return keys
}

// keyNote says what a caller meets with a key, empty for nothing special.
func keyNote(key load.KeyText) string {
	var notes []string
	if !key.Expires.IsZero() {
		notes = append(notes, "expires on "+key.Expires.Format(time.DateOnly))
	}
	if key.PerSecond > 0 {
		notes = append(notes, fmt.Sprintf("%v requests a second", key.PerSecond))
	}
	for _, prefix := range key.Allow {
		if !prefix.Addr().IsLoopback() {
			notes = append(notes, "only from "+prefix.String())
		}
	}
	if slices.Contains(key.Compatibility, apikey.EarlierClients) {
		notes = append(notes, "compatible with earlier clients")
	}
	return strings.Join(notes, ", ")
}

// Ready is what a test needs to know of a running sandbox.
func (a *App) Ready() wire.Ready {
	keys := make(map[string]string)
	for _, key := range demo.Keys() {
		keys[key.Name] = key.Secret.Reveal()
	}
	return wire.Ready{
		URL: a.URL(), AdminURL: a.AdminURL(), Keys: keys,
		PinKey: string(a.vault.PublicPinKeyPEM()), PID: os.Getpid(),
	}
}

// answers is told of each answer to a caller of a sandbox before it is sent: whoever has read the
// answer finds it in the record.
type answers struct{ *App }

// Record keeps an answer.
func (a answers) Record(x *web.Exchange, status int, body []byte) {
	if status != 0 {
		a.sealBehind(x.Request)
	}
	a.requests.Record(x, status, body)
}

// named has every answer say that it comes from a sandbox.
func named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(environmentHeader, "sandbox")
		next.ServeHTTP(w, r)
	})
}

// namedRaw does the same for an answer below HTTP.
func namedRaw(refuse connection.Refuse) connection.Refuse {
	return func(status int, from net.Addr) []byte {
		line, rest, _ := bytes.Cut(refuse(status, from), []byte("\r\n"))
		return slices.Concat(line, []byte("\r\n"+environmentHeader+": sandbox\r\n"), rest)
	}
}
