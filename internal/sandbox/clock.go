package sandbox

import (
	"context"

	wire "mintmark/client/sandbox"
)

func (s *Controls) clockRoutes() []route {
	return []route{
		get("clock", func(context.Context, *call) (answer, error) { return ok(s.clock()), nil }),
	}
}

// clock says what time it is.
func (s *Controls) clock() wire.Clock {
	return wire.Clock{Now: s.Clock.Now().UTC(), Frozen: s.Clock.Frozen()}
}
