package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	wire "mintmark/client/sandbox"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/face/injection"
	"mintmark/internal/face/web"
)

func (s *Controls) faultRoutes() []route {
	return []route{
		get("faults", func(context.Context, *call) (wire.List[wire.Fault], error) {
			return wire.List[wire.Fault]{Items: s.faults()}, nil
		}),
		create("faults", s.addFault),
		remove("faults", func(context.Context, *call) error {
			s.Faults.Clear()
			return nil
		}),
		get("faults/{id}", s.showFault),
		remove("faults/{id}", func(_ context.Context, c *call) error {
			if !s.Faults.Delete(c.params["id"]) {
				return web.NotFound()
			}
			return nil
		}),
	}
}

// faults returns the fault rules in order of creation.
func (s *Controls) faults() []wire.Fault {
	rules := s.Faults.List()
	shown := make([]wire.Fault, len(rules))
	for i, rule := range rules {
		shown[i] = showRule(rule)
	}
	return shown
}

// addFault adds a fault rule.
func (s *Controls) addFault(_ context.Context, c *call) (wire.Fault, error) {
	var rule injection.Rule
	err := c.read(func(o *strictjson.Object) {
		rule = injection.Rule{
			Route: o.String("route"), Key: o.String("key"), Code: o.Int("code"),
			Delay: readDelay(o), Drop: injection.Drop(o.String("drop")),
			Times: readTimes(o), Probability: readProbability(o),
		}
	})
	if err != nil {
		return wire.Fault{}, err
	}
	if problems := rule.Check(); len(problems) > 0 {
		return wire.Fault{}, web.Invalid(problems)
	}
	r, err := s.Faults.Add(rule)
	if errors.Is(err, injection.ErrTooMany) {
		return wire.Fault{}, web.Conflict("There are as many fault rules as there may be. " +
			"Delete some first.")
	}
	if err != nil {
		return wire.Fault{}, err
	}
	return showRule(r), nil
}

// readDelay reads the delay of a rule.
func readDelay(o *strictjson.Object) time.Duration {
	text := o.String("delay")
	if text == "" {
		return 0
	}
	delay, err := time.ParseDuration(text)
	if err != nil || delay <= 0 || delay > injection.MaxDelay {
		o.Reject("delay", "must be a time of at most five minutes, such as 2s or 250ms")
		return 0
	}
	return delay
}

// readTimes reads the maximum number of uses of a rule.
func readTimes(o *strictjson.Object) int {
	raw := o.Raw("times")
	if raw == nil {
		return 0
	}
	var times int
	if err := json.Unmarshal(raw, &times); err != nil || times < 1 {
		o.Reject("times", "must be a whole number from 1 on")
		return 0
	}
	return times
}

// readProbability reads the probability of a rule.
func readProbability(o *strictjson.Object) float64 {
	raw := o.Raw("probability")
	if raw == nil {
		return 0
	}
	var probability float64
	err := json.Unmarshal(raw, &probability)
	if err != nil || probability <= 0 || probability > 1 {
		o.Reject("probability", "must be a number above 0 and at most 1")
		return 0
	}
	return probability
}

// showFault answers with one rule.
func (s *Controls) showFault(_ context.Context, c *call) (wire.Fault, error) {
	for _, f := range s.faults() {
		if f.ID == c.params["id"] {
			return f, nil
		}
	}
	return wire.Fault{}, web.NotFound()
}

// showRule converts a rule to its wire form.
func showRule(rule injection.Rule) wire.Fault {
	shown := wire.Fault{
		ID: rule.ID, Route: rule.Route, Key: rule.Key, Code: rule.Code, Drop: string(rule.Drop),
		Times: rule.Times, Probability: rule.Probability, Used: rule.Used,
	}
	if rule.Delay > 0 {
		shown.Delay = rule.Delay.String()
	}
	return shown
}
