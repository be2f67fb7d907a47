package importer

import "testing"

// TestPace checks that a run takes turns with other programs once they have written, and yields
// less on a database server, where no program waits for the whole database.
func TestPace(t *testing.T) {
	t.Parallel()
	commits := int64(0)
	p := &Throttle{ExternalCommits: func() int64 { return commits }}
	if got := p.pace(); got != alone {
		t.Errorf("before another program has written: %v", got)
	}
	commits++
	if got := p.pace(); got != beside {
		t.Errorf("after another program has written: %v", got)
	}
	if got := (&Throttle{}).pace(); got != server {
		t.Errorf("on a database server: %v", got)
	}
	if got := (&Throttle{InServer: true}).pace(); got != beside {
		t.Errorf("inside a server: %v", got)
	}
}
