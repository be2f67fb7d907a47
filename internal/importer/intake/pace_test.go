package intake

import "testing"

// TestRhythm holds that an intake takes turns with other programs once they have written, and
// leaves less room on a database server, where no program waits for the whole database.
func TestRhythm(t *testing.T) {
	t.Parallel()
	commits := int64(0)
	p := &Pacer{ForeignCommits: func() int64 { return commits }}
	if got := p.rhythm(); got != alone {
		t.Errorf("before another program has written: %v", got)
	}
	commits++
	if got := p.rhythm(); got != beside {
		t.Errorf("after another program has written: %v", got)
	}
	if got := (&Pacer{}).rhythm(); got != server {
		t.Errorf("on a database server: %v", got)
	}
	if got := (&Pacer{InServer: true}).rhythm(); got != beside {
		t.Errorf("inside a server: %v", got)
	}
}
