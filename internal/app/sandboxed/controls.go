package sandboxed

import (
	"context"
	"net/http"

	controls "mintmark/client/sandbox"
	"mintmark/internal/base/version"
	"mintmark/internal/face/api"
	"mintmark/internal/face/console"
	"mintmark/internal/face/sandbox"
	"mintmark/internal/face/web"
)

// openControls creates the control face. The controls are the parts that can be changed from
// outside.
func (s *Sandbox) openControls() {
	s.controls = &sandbox.Controls{
		Service: s.Service, Store: s.storage, Clock: s.Clock, Time: s.time, Chance: s.Chance,
		Processor: s.processor, OpenNumber: s.Service.Keys.OpenNumber, CarryOut: s.ResumeOrders,
		Faults: s.faults, Requests: s.requests,
		About: sandbox.About{
			URL: s.URL, AdminURL: s.AdminURL, Persistent: s.Location.Data != "", Seed: s.Seed,
			Version: version.Current().Version, PinKeyPEM: s.keys.PublicPinKeyPEM,
			Keys: demoKeys(),
		},
		Kept: s.snapshots, Fill: s.fill, Hold: s.hold, Replace: s.replaceData,
		Reload: s.follow, KeepClock: s.keepClock, Started: s.started,
		Parts: map[string]sandbox.StatefulPart{ // the parts with state outside the store
			"callers": s.Callers, "chance": sandbox.Streams{Streams: s.Chance},
			"faults": s.faults, "processor": s.processor, "service": s.Service,
		},
	}
	host := s.Host("request identifiers of controls", sandbox.MaxBodyBytes)
	s.face = host.Handler(sandbox.New(s.controls))
}

// Controls returns the control face.
func (s *Sandbox) Controls() http.Handler { return s.face }

// ResumeOrders carries out the waiting orders, all in the current generation.
func (s *Sandbox) ResumeOrders(ctx context.Context) error {
	return s.Orders.Resume(s.generation.In(ctx))
}

// Pages returns what the console's sandbox pages need: a client of the controls in the same
// process, and the routes of callers.
func (s *Sandbox) Pages() *console.Sandbox {
	pages := &console.Sandbox{
		Client: func(x *web.Exchange) *controls.Client {
			inside := web.InProcess{Handler: s.face, Browser: x}
			return controls.Over(inside, "http://"+x.Request.Host)
		},
	}
	for _, operation := range api.Operations() {
		pages.Routes = append(pages.Routes, operation.Path)
	}
	return pages
}
