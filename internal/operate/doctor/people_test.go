package doctor

import (
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/inspect"
)

// TestPendingInvitation checks the remedy where an administrator is invited, and where none is.
func TestPendingInvitation(t *testing.T) {
	t.Parallel()
	for cure, invited := range map[string][]string{
		"mintmark operator create": nil, "mintmark operator invite": {"ada"},
	} {
		r := &Report{}
		r.production(Installation{Now: now}, inspect.Condition{
			People: inspect.People{Production: true, Invited: invited},
		})
		want(t, r, "administrators", Warning)
		for _, f := range r.Checks {
			if f.Name == "administrators" && !strings.Contains(f.Cure, cure) {
				t.Errorf("%v are invited: %+v", invited, f)
			}
		}
	}
}
