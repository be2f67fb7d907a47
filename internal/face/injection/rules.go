package injection

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"mintmark/internal/domain/precedence"
)

// ErrTooMany is the error of adding a rule beyond MaxRules.
var ErrTooMany = errors.New("injection: too many fault rules")

// MaxRules is the maximum number of rules.
const MaxRules = 1000

// Rules holds the fault rules of a sandbox. A nil *Rules has none. It is safe for concurrent use.
type Rules struct {
	random io.Reader // source of probability draws

	any  atomic.Bool // whether there are rules; requests read it without the lock
	mu   sync.Mutex
	all  []*Rule // in order of creation
	last int     // last ID assigned
}

// New returns an empty set of rules that draws probabilities from random.
func New(random io.Reader) *Rules { return &Rules{random: random} }

// Begin returns the trial of a request, nil if no rule selects it. It calls target only if there
// are rules.
func (r *Rules) Begin(target func() Target) *Trial {
	if r == nil || !r.any.Load() {
		return nil
	}
	about := target()
	order := precedence.Of(about.Route)
	t := &Trial{rules: r, target: about, order: order}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rule := range r.all {
		if !rule.selects(about) || rule.exhausted() {
			continue
		}
		c := &candidate{rule: rule, at: precedence.Position{Stage: order.Stage(serviceKind)}}
		if rule.Code != 0 {
			at, kind, ok := order.Find(rule.Code)
			if !ok {
				continue
			}
			c.at, c.kind, c.refuses = at, kind, true
		}
		t.candidates = append(t.candidates, c)
	}
	if len(t.candidates) == 0 {
		return nil
	}
	slices.SortStableFunc(t.candidates, func(a, b *candidate) int {
		switch {
		case a.at.Before(b.at):
			return -1
		case b.at.Before(a.at):
			return 1
		}
		return 0
	})
	return t
}

// Add adds a rule that has passed Check, and returns it with its ID.
func (r *Rules) Add(rule Rule) (Rule, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) >= MaxRules {
		return Rule{}, ErrTooMany
	}
	r.last++
	rule.ID, rule.Used = strconv.Itoa(r.last), 0
	r.all = append(r.all, &rule)
	r.any.Store(true)
	return rule, nil
}

// List returns the rules in order of creation, including exhausted ones.
func (r *Rules) List() []Rule {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list()
}

// list is List for a caller that holds the lock.
func (r *Rules) list() []Rule {
	list := make([]Rule, len(r.all))
	for i, rule := range r.all {
		list[i] = *rule
	}
	return list
}

// Delete deletes a rule and reports whether it existed. A request whose trial has begun still uses
// it.
func (r *Rules) Delete(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := len(r.all)
	r.all = slices.DeleteFunc(r.all, func(rule *Rule) bool { return rule.ID == id })
	r.any.Store(len(r.all) > 0)
	return len(r.all) < before
}

// Clear deletes all rules. IDs are not reused.
func (r *Rules) Clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = nil
	r.any.Store(false)
}

// saved is the encoding of State.
type saved struct {
	Last  int    `json:"last"`
	Rules []Rule `json:"rules"`
}

// State returns the rules with their use counts, for Restore.
func (r *Rules) State() ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return json.Marshal(saved{r.last, r.list()})
}

// Restore restores the rules from a State. An empty state means no rules, as in a sandbox that has
// just started.
func (r *Rules) Restore(state []byte) error {
	var put saved
	if len(state) > 0 {
		if err := json.Unmarshal(state, &put); err != nil {
			return fmt.Errorf("restore the fault rules: %w", err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last, r.all = put.Last, nil
	for _, rule := range put.Rules {
		r.all = append(r.all, &rule)
	}
	r.any.Store(len(r.all) > 0)
	return nil
}

// take uses a rule once, unless it is exhausted or its probability decides against it.
func (r *Rules) take(rule *Rule) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if rule.exhausted() || !r.draw(rule.Probability) {
		return false
	}
	rule.Used++
	return true
}

// giveBack undoes one use of a rule.
func (r *Rules) giveBack(rule *Rule) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rule.Used--
}

// draw decides with the given probability; 0 and 1 both mean always.
func (r *Rules) draw(probability float64) bool {
	if probability == 0 || probability == 1 {
		return true
	}
	var drawn [8]byte
	if _, err := io.ReadFull(r.random, drawn[:]); err != nil {
		return false
	}
	const bits = 53 // of precision in a float64
	number := binary.BigEndian.Uint64(drawn[:]) >> (64 - bits)
	return float64(number)/(1<<bits) < probability
}
