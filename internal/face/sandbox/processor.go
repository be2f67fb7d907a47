package sandbox

import (
	"context"
	"slices"

	wire "mintmark/client/sandbox"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/processor/simulator"
)

func (s *Controls) processorRoutes() []route {
	return []route{
		get("processor", s.readProcessor),
		put("processor", s.setProcessor),
	}
}

func (s *Controls) readProcessor(context.Context, *call) (wire.Processor, error) {
	return wire.Processor{Mode: wire.Mode(s.Processor.Mode())}, nil
}

// setProcessor changes how the simulated card processor treats orders. Waiting orders are carried
// out before the response.
func (s *Controls) setProcessor(ctx context.Context, c *call) (wire.Processor, error) {
	var mode simulator.Mode
	err := c.read(func(o *strictjson.Object) {
		mode = simulator.Mode(o.String("mode"))
		if !slices.Contains(simulator.Modes, mode) {
			o.Reject("mode", "must be one of "+problem.Names(simulator.Modes))
		}
	})
	if err != nil {
		return wire.Processor{}, err
	}
	if err := s.Processor.SetMode(mode); err != nil {
		return wire.Processor{}, err
	}
	if mode != simulator.Down && s.CarryOut != nil {
		if err := s.CarryOut(ctx); err != nil {
			return wire.Processor{}, err
		}
	}
	return s.readProcessor(ctx, c)
}
