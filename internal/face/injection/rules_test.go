package injection

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/precedence"
)

// newRules returns rules with the same random source in every test.
func newRules() *Rules { return New(rand.NewChaCha8([32]byte{1})) }

func (r *Rules) mustAdd(t *testing.T, rule Rule) Rule {
	t.Helper()
	if problems := rule.Check(); len(problems) > 0 {
		t.Fatalf("%+v: %s", rule, problems)
	}
	added, err := r.Add(rule)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

// request simulates a request of a key for a route that passes every check.
func (r *Rules) request(ctx context.Context, route, key string) error {
	_, err := r.used(ctx, route, key)
	return err
}

// used is request that also returns the rules that applied.
func (r *Rules) used(ctx context.Context, route, key string) (used []string, err error) {
	trial := r.Begin(func() Target {
		return Target{Route: route, Sent: route, Key: key, Value: func(string) (string, bool) {
			return "", false
		}}
	})
	err = errors.Join(trial.Passed(fault.HTTPVersion), trial.Passed(fault.Unauthorized),
		trial.Passed(fault.AddressNotTrusted), trial.Passed(fault.RateExceeded))
	if err == nil {
		err = trial.Service(ctx)
	}
	if err == nil {
		err = errors.Join(trial.Passed(fault.NotImplemented), trial.Passed(fault.RouteUnknown),
			trial.Passed(fault.MethodNotAllowed))
	}
	if err == nil {
		err = trial.Body()
	}
	if err == nil {
		err = trial.Outcome(nil)
	}
	used, ended := trial.End(ctx)
	return used, errors.Join(err, ended)
}

// fails reports whether a request fails, which must be with this kind of fault.
func (r *Rules) fails(t *testing.T, route, key string, kind fault.Kind) bool {
	t.Helper()
	err := r.request(t.Context(), route, key)
	if err != nil && !errors.Is(err, fault.New(kind)) {
		t.Errorf("the request fails with %v", err)
	}
	return err != nil
}

// TestMeets checks which requests a rule selects.
func TestMeets(t *testing.T) {
	t.Parallel()
	const byTag = "/card/getbytag/{customerId}/{tag}"
	for _, row := range []struct {
		rule   Rule
		target Target
		want   bool
	}{
		{Rule{Route: "*"}, Target{Route: "/card/lock", Sent: "/card/lock", Key: "a"}, true},
		{Rule{Route: "*"}, Target{}, true},
		{Rule{Route: "*", Key: "a"}, Target{Key: "b"}, false},
		{Rule{Route: "*", Key: "a"}, Target{}, false},
		{Rule{Route: "/card/lock", Key: "a"}, Target{Route: "/card/lock", Key: "a"}, true},
		{Rule{Route: "/card/lock"}, Target{Route: "/card/unlock"}, false},
		{Rule{Route: "/card/lock"}, Target{}, false},
		{Rule{Route: byTag}, Target{Route: byTag, Sent: "/card/getbytag/{customerId}"}, true},
		{Rule{Route: "/card/getbytag/{customerId}"},
			Target{Route: byTag, Sent: "/card/getbytag/{customerId}"}, true},
		{Rule{Route: "/card/getbytag/{customerId}"}, Target{Route: byTag, Sent: byTag}, false},
	} {
		if got := row.rule.selects(row.target); got != row.want {
			t.Errorf("%+v meets %+v: %v", row.rule, row.target, got)
		}
	}
}

// TestTimes checks that a rule applies as often as it may, and no more often, under concurrent
// requests.
func TestTimes(t *testing.T) {
	t.Parallel()
	rules := newRules()
	rule := rules.mustAdd(t, Rule{Route: "*", Code: 50503, Times: 10})
	var failed atomic.Int32
	var sending sync.WaitGroup
	for range 100 {
		sending.Go(func() {
			if rules.request(t.Context(), "/card/lock", "a") != nil {
				failed.Add(1)
			}
		})
	}
	sending.Wait()
	if failed.Load() != 10 {
		t.Errorf("%d requests fail, want 10", failed.Load())
	}
	if got := rules.List()[0].Used; got != 10 || rules.List()[0].ID != rule.ID {
		t.Errorf("the rule was used %d times", got)
	}
}

// TestNotReached checks that a request that fails at an earlier check does not use up the rule,
// even after the rule was reserved for it.
func TestNotReached(t *testing.T) {
	t.Parallel()
	rules := newRules()
	rules.mustAdd(t, Rule{Route: "*", Code: 150402, Times: 1})
	target := Target{Route: "/card/lock", Value: func(string) (string, bool) { return "", false }}
	for _, outcome := range []error{
		fault.New(fault.CustomerLocked, 1001), errors.New("trouble"), fault.New(fault.Unavailable),
	} {
		trial := rules.Begin(func() Target { return target })
		if err := trial.Body(); err != nil {
			t.Fatal(err)
		}
		if err := trial.Outcome(nil); !errors.Is(err, fault.New(fault.LockedBySystem, 0)) {
			t.Errorf("an act that succeeds is answered %v", err)
		}
		// The transaction is retried, with another outcome.
		if err := trial.Outcome(outcome); err != nil {
			t.Errorf("%v becomes %v", outcome, err)
		}
		if used, err := trial.End(t.Context()); err != nil || len(used) > 0 {
			t.Errorf("%q have applied, %v", used, err)
		}
	}
	if !rules.fails(t, "/card/lock", "a", fault.LockedBySystem) {
		t.Error("the rule is used up")
	}
	if rules.fails(t, "/card/lock", "a", fault.LockedBySystem) {
		t.Error("the rule is not used up")
	}
}

// TestProbability checks that the probability is met, and that the same source selects the same
// requests.
func TestProbability(t *testing.T) {
	t.Parallel()
	var first []bool
	for run := range 2 {
		rules := newRules()
		rules.mustAdd(t, Rule{Route: "*", Code: 50503, Probability: 0.25})
		var failed []bool
		count := 0
		for range 4000 {
			fails := rules.fails(t, "/card/lock", "a", fault.Unavailable)
			failed = append(failed, fails)
			if fails {
				count++
			}
		}
		if count < 900 || count > 1100 {
			t.Errorf("%d of 4000 requests fail, want about 1000", count)
		}
		switch {
		case run == 0:
			first = failed
		case !slices.Equal(first, failed):
			t.Error("the same source gives other requests")
		}
	}
}

// TestState checks that restored rules continue from the saved state.
func TestState(t *testing.T) {
	t.Parallel()
	rules := newRules()
	rules.mustAdd(t, Rule{Route: "/card/lock", Key: "a", Code: 150402, Times: 2})
	rules.mustAdd(t, Rule{Route: "*", Delay: time.Nanosecond, Drop: DropAfter, Probability: 0.5})
	if !rules.fails(t, "/card/lock", "a", fault.LockedBySystem) {
		t.Fatal("the rule does not apply")
	}
	want := rules.List()
	state, err := rules.State()
	if err != nil {
		t.Fatal(err)
	}
	rules.Clear()
	rules.mustAdd(t, Rule{Route: "*", Code: 50500})
	for _, into := range []*Rules{rules, newRules()} {
		if err := into.Restore(state); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, into.List()); diff != "" {
			t.Errorf("the rules (-want +got):\n%s", diff)
		}
		if next := into.mustAdd(t, Rule{Route: "*", Code: 50500}); next.ID != "3" {
			t.Errorf("the next rule is %s", next.ID)
		}
		if !into.Delete("2") || into.Delete("2") || !into.Delete("3") {
			t.Error("a rule that was put back cannot be deleted once")
		}
		if !into.fails(t, "/card/lock", "a", fault.LockedBySystem) ||
			into.fails(t, "/card/lock", "a", fault.LockedBySystem) {
			t.Error("the rule that was used once applies not once more")
		}
	}
	if err := rules.Restore(nil); err != nil || len(rules.List()) > 0 {
		t.Errorf("without a state there are %v, %v", rules.List(), err)
	}
	if first := rules.mustAdd(t, Rule{Route: "*", Code: 50500}); first.ID != "1" {
		t.Errorf("after a fresh start the first rule is %s", first.ID)
	}
	if err := rules.Restore([]byte("broken")); err == nil || len(rules.List()) != 1 {
		t.Errorf("a broken state: %v, %v", err, rules.List())
	}
}

// TestDelay checks that all delays of a request are applied, at most until its deadline, and that a
// rule with the code of an early check delays it, too.
func TestDelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rules := newRules()
		rules.mustAdd(t, Rule{Route: "*", Delay: 2 * time.Second})
		rules.mustAdd(t, Rule{Route: "/card/lock", Delay: 3 * time.Second, Code: 150402})
		rules.mustAdd(t, Rule{Route: "/card/unlock", Delay: time.Second, Code: 50401})
		rules.mustAdd(t, Rule{Route: "/card/archive", Delay: time.Hour / 20})
		for _, row := range []struct {
			route string
			want  time.Duration
			err   error
		}{
			{"/program/get", 2 * time.Second, nil},
			{"/card/lock", 5 * time.Second, fault.New(fault.LockedBySystem, 0)},
			{"/card/unlock", time.Second, fault.New(fault.Unauthorized)},
			{"/card/archive", time.Minute, context.DeadlineExceeded},
		} {
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			err := rules.request(ctx, row.route, "a")
			cancel()
			if took := time.Since(began); took != row.want || !errors.Is(err, row.err) {
				t.Errorf("%s takes %s, want %s, and ends with %v", row.route, took, row.want, err)
			}
		}
	})
}

// TestDrop checks when a connection is dropped.
func TestDrop(t *testing.T) {
	t.Parallel()
	rules := newRules()
	var noted []string
	rules.mustAdd(t, Rule{Route: "*", Drop: DropBefore, Times: 1})
	rules.mustAdd(t, Rule{Route: "*", Drop: DropAfter, Times: 1})
	for _, want := range []error{ErrDropped, ErrDropped, nil} {
		used, err := rules.used(t.Context(), "/card/lock", "a")
		if !errors.Is(err, want) {
			t.Errorf("the request ends with %v, want %v", err, want)
		}
		noted = append(noted, used...)
	}
	if !slices.Equal(noted, []string{"1", "2"}) {
		t.Errorf("noted are %q", noted)
	}
}

// TestMessagesAreFilled checks that no message of a code that a rule may have contains a
// placeholder or is empty.
func TestMessagesAreFilled(t *testing.T) {
	t.Parallel()
	tried := map[fault.Kind]bool{}
	for path := range precedence.Operations {
		trial := &Trial{order: precedence.Of(path), target: Target{
			Value: func(name string) (string, bool) { return "<" + name + ">", true },
		}}
		for _, entry := range fault.Entries() {
			if _, kind, ok := trial.order.Find(entry.Code); !ok || kind != entry.Kind {
				continue
			}
			tried[entry.Kind] = true
			message := trial.fill(entry.Kind).Message()
			if bytes.ContainsAny([]byte(message), "{}") || message == "" {
				t.Errorf("%d: %q", entry.Code, message)
			}
		}
	}
	for _, entry := range fault.Entries() {
		service := slices.ContainsFunc(precedence.Service, func(c precedence.Check) bool {
			return c.Kind == entry.Kind
		})
		if may := entry.Reserved == "" || service; tried[entry.Kind] != may {
			t.Errorf("%d has a place: %v, want %v", entry.Code, tried[entry.Kind], may)
		}
	}
}

// TestTooMany checks that the number of rules is limited.
func TestTooMany(t *testing.T) {
	t.Parallel()
	rules := newRules()
	for range MaxRules {
		rules.mustAdd(t, Rule{Route: "*", Code: 50503})
	}
	if _, err := rules.Add(Rule{Route: "*", Code: 50503}); !errors.Is(err, ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
}

// TestBrokenSource checks that a rule with a probability does not apply if no random number can be
// drawn.
func TestBrokenSource(t *testing.T) {
	t.Parallel()
	rules := New(io.LimitReader(nil, 0))
	rules.mustAdd(t, Rule{Route: "*", Code: 50503, Probability: 0.99})
	if rules.fails(t, "/card/lock", "a", fault.Unavailable) {
		t.Error("the rule applies")
	}
}

// BenchmarkNoRules measures the cost to a request if there are no rules: in production, where the
// pointer is nil, and in a sandbox.
func BenchmarkNoRules(b *testing.B) {
	for name, rules := range map[string]*Rules{"production": nil, "sandbox": newRules()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				trial := rules.Begin(func() Target { return Target{} })
				if trial.Passed(fault.Unauthorized) != nil {
					b.Fatal("there is a rule")
				}
			}
		})
	}
}
