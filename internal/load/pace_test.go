package load

import "testing"

// TestRhythm holds that a load takes turns with other programs once they have written, and leaves
// less room on a database server, where no program waits for the whole database.
func TestRhythm(t *testing.T) {
	t.Parallel()
	commits := int64(0)
	p := &pacer{foreignCommits: func() int64 { return commits }}
	if got := p.rhythm(); got != alone {
		t.Errorf("before another program has written: %v", got)
	}
	commits++
	if got := p.rhythm(); got != beside {
		t.Errorf("after another program has written: %v", got)
	}
	if got := (&pacer{}).rhythm(); got != server {
		t.Errorf("on a database server: %v", got)
	}
}
