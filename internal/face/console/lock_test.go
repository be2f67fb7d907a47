package console

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"mintmark/internal/base/clock"
	domain "mintmark/internal/domain/card"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testworld"
)

// countingStore is a store that counts its transactions.
type countingStore struct {
	store.Store
	updates, views int
}

// Update counts a write transaction.
func (c *countingStore) Update(ctx context.Context, do func(store.Tx) error) error {
	c.updates++
	return c.Store.Update(ctx, do)
}

// View counts a read transaction.
func (c *countingStore) View(ctx context.Context, do func(store.Tx) error) error {
	c.views++
	return c.Store.View(ctx, do)
}

// Read counts a read transaction.
func (c *countingStore) Read(ctx context.Context, do func(store.Tx) error) error {
	c.views++
	return c.Store.Read(ctx, do)
}

// countingDesk is a desk that records its requests.
type countingDesk struct {
	*admin.Desk
	requests []string
}

// Do records a request.
func (c *countingDesk) Do(ctx context.Context, r admin.Request) (admin.Result, error) {
	c.requests = append(c.requests, r.Method+" "+r.Path)
	return c.Desk.Do(ctx, r)
}

// Frame records a request for a frame.
func (c *countingDesk) Frame(ctx context.Context, who operator.Identity) (admin.Frame, error) {
	c.requests = append(c.requests, "frame")
	return c.Desk.Frame(ctx, who)
}

// TestLockIsCheap limits the cost of a click on Lock: the form takes one act and reads nothing for
// a frame, and the page after it takes a frame and four reads.
func TestLockIsCheap(t *testing.T) {
	now := clock.FrozenAt(testworld.Start)
	kept := &countingStore{Store: testworld.File(t, testworld.DemoFile(t), now)}
	service := acts.New(kept, testworld.Keys(t), issuing.Settings{
		Mode: domain.Sandbox, Ending: domain.SandboxEnding, Random: rand.Reader, Clock: now,
	})
	desk := &countingDesk{Desk: admin.NewDesk(service, nil, admin.About{})}
	people := &fakePeople{roles: []operator.Role{operator.Support}}
	c := New(Settings{Sessions: people, Operators: people, Clock: now, Desk: desk})
	host := web.NewHost(slog.New(slog.DiscardHandler), uuid.NewString,
		web.Settings{BodyLimit: MaxBodyBytes})
	w := &world{Handler: host.Handler(c)}

	answer := w.post("/console/cards/5001/lock?programId=1", url.Values{
		"lockReasonTypeCode": {"ADM"}, "reason": {"a question"},
	})
	if got := strings.Join(desk.requests, ", "); got != "POST cards/5001/lock" {
		t.Errorf("the form asks %s", got)
	}
	if kept.updates != 1 || kept.views > 3 {
		t.Errorf("the form takes %d updates and %d views", kept.updates, kept.views)
	}
	*kept, desk.requests = countingStore{Store: kept.Store}, nil
	answer = w.get(answer.Header().Get("Location"))
	if got := strings.Join(desk.requests, ", "); answer.Code != http.StatusOK ||
		got != "frame, GET cards/5001, GET cards/5001/history, GET approvals, GET authorizations" {
		t.Errorf("the page is answered %d and asks %s", answer.Code, got)
	}
	if kept.updates > 2 || kept.views > 7 { // each read of a card adds an audit entry
		t.Errorf("the page takes %d updates and %d views", kept.updates, kept.views)
	}
}
