package app

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"mintmark/internal/jsonbody"
	"mintmark/internal/web"
	"mintmark/internal/wire"
)

// MaxBodyBytes is what the interface allows a body; a server can only allow less.
const MaxBodyBytes = jsonbody.MaxBytes

// Limits bound what a connection may cost. A zero stands for the default, which filled has.
type Limits struct {
	HeaderTimeout time.Duration // for the headers of a request to arrive
	BodyTimeout   time.Duration // for its body
	AnswerTimeout time.Duration // for its answer to be made
	IdleTimeout   time.Duration // between two requests
	HeaderBytes   int           // request line and headers
	BodyBytes     int64         // at most MaxBodyBytes
	Connections   int           // of callers, open at a time
}

// adminConnections is how many connections operators may have open at a time. They are counted
// apart, so that operators get in when callers have used theirs up.
const adminConnections = 100

// headerSlop is what Go's server reads beyond its limit of header bytes.
const headerSlop = 4096

func (l Limits) filled() Limits {
	l.HeaderTimeout = cmp.Or(l.HeaderTimeout, 5*time.Second)
	l.BodyTimeout = cmp.Or(l.BodyTimeout, web.DefaultBodyTimeout)
	l.AnswerTimeout = cmp.Or(l.AnswerTimeout, web.DefaultAnswerTimeout)
	l.IdleTimeout = cmp.Or(l.IdleTimeout, time.Minute)
	l.HeaderBytes = cmp.Or(l.HeaderBytes, 16<<10)
	l.BodyBytes = cmp.Or(l.BodyBytes, web.DefaultBodyBytes)
	l.Connections = cmp.Or(l.Connections, 10_000)
	return l
}

// server is one listening socket, and the HTTP servers on it. The newest HTTP server takes new
// connections; older ones keep theirs, under the limits that were in force when the connection was
// made. A nil server does nothing.
type server struct {
	serving
	listener *wire.Listener
	scheme   string

	mu    sync.Mutex
	doors []*door
}

// serving are the parameters of a server.
type serving struct {
	address string
	handler http.Handler
	limits  Limits
	tls     *tls.Config // nil for plain HTTP
	refuse  wire.Refuse
	log     *slog.Logger
}

// listen opens the socket and starts to serve.
func listen(s serving) (*server, error) {
	listener, err := net.Listen("tcp", s.address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", s.address, err)
	}
	running := &server{serving: s, scheme: "http"}
	if s.tls != nil {
		listener, running.scheme = tls.NewListener(listener, s.tls), "https"
	}
	running.listener = wire.Listen(listener, s.limits.Connections, s.refuse)
	running.limit(s.limits)
	go running.relay()
	return running, nil
}

// limit applies other limits to new connections.
func (s *server) limit(limits Limits) {
	s.listener.Bound(limits.Connections)
	next := &door{
		address: s.listener.Addr(), come: make(chan accepted), shut: make(chan struct{}),
		http: &http.Server{
			Handler:           inStep(s.handler),
			ReadHeaderTimeout: limits.HeaderTimeout,
			IdleTimeout:       limits.IdleTimeout,
			// A client that does not read its answer must not hold the connection for ever.
			WriteTimeout:   limits.BodyTimeout + limits.AnswerTimeout + limits.IdleTimeout,
			MaxHeaderBytes: max(1, limits.HeaderBytes-headerSlop),
			ConnContext:    withConnection,
			ErrorLog:       slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
			// The envelope answers OPTIONS * like any other route that does not exist.
			DisableGeneralOptionsHandler: true,
		},
	}
	go func() {
		err := next.http.Serve(next)
		if !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			s.log.Error("no longer listening", "address", s.address, "error", err)
		}
	}()
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.doors) - 1; last >= 0 {
		_ = s.doors[last].Close()
	}
	s.doors = append(s.doors, next)
}

// connectionKey is where the context of a connection keeps the connection.
type connectionKey struct{}

func withConnection(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

// inStep refuses a request that the connection below has not seen: it was smuggled in the body of
// another request.
func inStep(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, ok := r.Context().Value(connectionKey{}).(interface {
			Begin() bool
			Hangup() error
		})
		if ok && conn.Begin() {
			handler.ServeHTTP(w, r)
			return
		}
		_, _, err := http.NewResponseController(w).Hijack()
		if err != nil || !ok {
			panic(http.ErrAbortHandler)
		}
		// A write error means that the client has gone.
		_ = conn.Hangup()
	})
}

func (s *server) url() string { return s.scheme + "://" + s.listener.Addr().String() }

// shutDown lets the requests in flight finish until the context ends.
func (s *server) shutDown(ctx context.Context) error {
	if s == nil {
		return nil
	}
	_ = s.listener.Close() // for the second time, where it has failed before
	s.mu.Lock()
	doors := slices.Clone(s.doors)
	s.mu.Unlock()
	errs := make([]error, len(doors))
	var closing sync.WaitGroup
	for i, one := range doors {
		closing.Go(func() {
			if err := one.http.Shutdown(ctx); err != nil {
				errs[i] = errors.Join(err, one.http.Close())
			}
		})
	}
	closing.Wait()
	return errors.Join(errs...)
}
