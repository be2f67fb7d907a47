package api

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testworld"
	"mintmark/internal/vault"
)

// BenchmarkServeHTTP measures a read that the read cache answers, without Go's server. Time depends
// on the machine and its load; allocations do not, and account for much of it.
func BenchmarkServeHTTP(b *testing.B) {
	server := demoServer(b)
	for _, read := range []struct{ name, path string }{
		{"get", "/card/get/1001/5001"}, {"list", "/card/list/1001"}, {"program", "/program/get"},
	} {
		b.Run(read.name, func(b *testing.B) {
			ctx, cancel := context.WithCancel(b.Context()) // as in Go's server
			defer cancel()
			request := httptest.NewRequestWithContext(ctx, http.MethodGet, read.path, http.NoBody)
			request.RemoteAddr = "127.0.0.1:50000"
			request.SetBasicAuth("example1", "example1")
			var status, size int
			b.ReportAllocs()
			began := spent()
			for b.Loop() {
				to := &discarding{header: make(http.Header)}
				server.ServeHTTP(to, request)
				status, size = to.status, to.size
			}
			if status != http.StatusOK {
				b.Fatalf("the answer has status %d", status)
			}
			b.ReportMetric(float64(size), "bytes-of-body")
			b.ReportMetric(float64((spent()-began).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}

// spent returns the CPU time of this process, which is more meaningful than wall-clock time while
// other programs run.
func spent() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// demoServer returns a face over the demo data, with the parts of the real program.
func demoServer(b *testing.B) http.Handler {
	b.Helper()
	service, kept, keys := demoService(b)
	callers, err := auth.Open(b.Context(), kept, keys, auth.Settings{})
	if err != nil {
		b.Fatal(err)
	}
	log := slog.New(slog.NewJSONHandler(io.Discard, nil))
	host := web.NewHost(log, uuid.NewString, web.Settings{})
	return New(service, callers, host).Handler()
}

// demoService returns a service over the demo data, its store and its keys.
func demoService(b testing.TB) (*acts.Service, store.Store, *vault.Vault) {
	b.Helper()
	kept, keys := testworld.Memory(b, nil), testworld.Keys(b)
	testworld.WriteDemo(b, kept)
	return acts.New(kept, keys, issuing.Settings{}), kept, keys
}

// discarding is a response writer that counts the bytes it discards.
type discarding struct {
	header       http.Header
	status, size int
}

func (d *discarding) Header() http.Header             { return d.header }
func (d *discarding) WriteHeader(status int)          { d.status = status }
func (d *discarding) SetReadDeadline(time.Time) error { return nil }

func (d *discarding) Write(text []byte) (int, error) {
	d.size += len(text)
	return len(text), nil
}
