package injection

import (
	"context"
	"errors"
	"slices"
	"time"

	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/precedence"
)

// ErrDropped ends a request whose connection a rule closes without an answer.
var ErrDropped = errors.New("injection: a fault rule closes the connection")

// serviceKind represents the stage at which the service itself fails.
const serviceKind = fault.InternalError

// Trial is a request that fault rules may fail. The methods of a nil Trial apply no rule. A Trial
// belongs to one request and is used by one goroutine at a time.
type Trial struct {
	rules      *Rules
	target     Target
	order      precedence.Order
	candidates []*candidate // by the place at which they apply, then by age

	inOperation bool       // the checks before the operation have passed
	refused     *candidate // the rule whose code is the answer
	dropped     bool       // the answer will be lost
}

// candidate is a rule that may apply to the request.
type candidate struct {
	rule    *Rule
	at      precedence.Position
	kind    fault.Kind
	refuses bool // the rule has a code

	asked   bool // applies has been decided
	applies bool
	waited  bool // its delay has elapsed
}

// Describe sets the function that fills placeholders in messages, now that more of the request is
// known.
func (t *Trial) Describe(value func(blank string) (text string, told bool)) {
	if t != nil {
		t.target.Value = value
	}
}

// Passed reports to the trial that the check of a kind, and all before it, have passed. It returns
// the answer of a rule that fails the request here.
func (t *Trial) Passed(kind fault.Kind) error {
	if t == nil {
		return nil
	}
	return t.refuse(t.find(precedence.Position{Stage: t.order.Stage(kind) + 1}))
}

// Service reports to the trial that credentials and rate have been checked. At this point requests
// wait, lose their connection, and get the codes of a failing service.
func (t *Trial) Service(ctx context.Context) error {
	if t == nil {
		return nil
	}
	for _, c := range t.candidates {
		if c.rule.Delay == 0 || !t.applies(c) {
			continue
		}
		if err := c.wait(ctx); err != nil {
			return err
		}
	}
	for _, c := range t.candidates {
		if c.rule.Drop == "" || !t.applies(c) {
			continue
		}
		if c.rule.Drop == DropBefore {
			return ErrDropped
		}
		t.dropped = true
	}
	return t.Passed(serviceKind)
}

// Body reports to the trial that the body is valid, or that the operation reads none: the
// operation's own checks follow.
func (t *Trial) Body() error {
	if t == nil {
		return nil
	}
	if err := t.refuse(t.find(precedence.Position{Stage: t.order.Begin()})); err != nil {
		return err
	}
	t.inOperation = true
	return nil
}

// Before reports to the trial that the operation is about to make the last check of a kind, and
// that all checks of earlier stages have passed. It returns the answer of a rule that fails the
// request before that check.
func (t *Trial) Before(kind fault.Kind) error {
	if t == nil {
		return nil
	}
	return t.refuse(t.find(precedence.Position{Stage: t.order.LastStage(kind)}))
}

// Outcome receives the operation's outcome, nil for success, and returns a rule's answer that
// replaces it, or nil to leave it. It may be called again with another outcome when a transaction
// is retried.
func (t *Trial) Outcome(outcome error) error {
	if t == nil || !t.inOperation {
		return nil
	}
	if earlier := (*Refused)(nil); errors.As(outcome, &earlier) {
		return nil
	}
	t.refused = nil
	list := fault.All(outcome)
	if outcome == nil {
		return t.refuse(t.find(precedence.Position{Stage: endOfOrder}))
	}
	if len(list) == 0 {
		return nil
	}
	at, ofOperation := t.order.FindInOperation(list[0].Kind)
	if !ofOperation {
		return nil // a failure of the service itself
	}
	if c := t.find(precedence.Position{Stage: at.Stage}); c != nil {
		return t.refuse(c)
	}
	return t.join(at.Stage, list)
}

// endOfOrder is a stage after all others.
const endOfOrder = 1 << 20

// join inserts a rule's fault into the faults of its stage: a stage reports all its faults, but
// only one per property.
func (t *Trial) join(stage int, list fault.List) error {
	c := t.find(precedence.Position{Stage: stage + 1})
	if c == nil || slices.ContainsFunc(list, func(f *fault.Fault) bool {
		at, _ := t.order.FindInOperation(f.Kind)
		return f.Kind == c.kind || at.Before(c.at) && precedence.MutuallyExclusive(f.Kind, c.kind)
	}) {
		return nil
	}
	joined := fault.List{t.fill(c.kind)}
	for _, f := range list {
		at, _ := t.order.FindInOperation(f.Kind)
		switch {
		case at.Before(c.at):
			joined = slices.Insert(joined, len(joined)-1, f)
		case !precedence.MutuallyExclusive(f.Kind, c.kind):
			joined = append(joined, f)
		}
	}
	t.refused = c
	return &Refused{joined, c.rule.ID}
}

// find returns the first rule with a code that applies before a place, or nil.
func (t *Trial) find(end precedence.Position) *candidate {
	for _, c := range t.candidates {
		if !c.at.Before(end) {
			return nil
		}
		if c.refuses && t.applies(c) {
			return c
		}
	}
	return nil
}

// applies decides, on the first call, whether a rule applies to the request.
func (t *Trial) applies(c *candidate) bool {
	if !c.asked {
		c.asked, c.applies = true, t.rules.take(c.rule)
	}
	return c.applies
}

// refuse returns the answer of a rule, nil for no rule.
func (t *Trial) refuse(c *candidate) error {
	if c == nil {
		return nil
	}
	t.refused = c
	return &Refused{fault.List{t.fill(c.kind)}, c.rule.ID}
}

// End ends the trial of an answered or failed request. Rules whose code was not reached are not
// consumed. It returns the IDs of the applied rules, and ErrDropped if the answer is to be lost.
func (t *Trial) End(ctx context.Context) (used []string, err error) {
	if t == nil {
		return nil, nil
	}
	for _, c := range t.candidates {
		switch {
		case !c.applies:
			continue
		case c.refuses && c != t.refused:
			t.rules.giveBack(c.rule)
			continue
		}
		used = append(used, c.rule.ID)
		if err := c.wait(ctx); err != nil {
			return used, err
		}
	}
	if t.dropped {
		return used, ErrDropped
	}
	return used, nil
}

// wait waits for the delay of the rule, once.
func (c *candidate) wait(ctx context.Context) error {
	if c.rule.Delay == 0 || c.waited {
		return nil
	}
	c.waited = true
	timer := time.NewTimer(c.rule.Delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
