package compromise

import (
	"testing"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
)

// TestWaves replaces cards of a list on several days: a quota a day, a skipped card does not count
// towards it, and the list ends after its last card.
func TestWaves(t *testing.T) {
	l := List{Act: Replace, PerDay: 2, Cards: 6, State: Running}
	outcomes := []Outcome{Handled, Left, Handled, Handled, Refused, Handled}
	var days []string
	for _, day := range []string{"1", "1", "2", "3"} {
		for l.MayContinue(day) {
			l.Record(outcomes[l.Next()], day)
			days = append(days, day)
		}
	}
	if got := len(days); got != 6 || days[2] != "1" || days[3] != "2" || l.State != Done {
		t.Errorf("cards on the days %v, and the list is %s", days, l.State)
	}
	if l.Outcomes[Handled] != 4 || l.Outcomes[Left] != 1 || l.Outcomes[Refused] != 1 {
		t.Errorf("counted %v", l.Outcomes)
	}
	l = List{Act: Lock, Cards: 1, State: Paused}
	if l.End(); l.MayContinue("1") || l.State != Paused {
		t.Error("a paused list goes on")
	}
}

// TestRules breaks the rule of each member once.
func TestRules(t *testing.T) {
	right := List{ProgramID: 1, Name: "shop", Act: Replace, PerDay: 5, Actor: audit.Actor{Reason: "r"}}
	if problems := problem.Check(right); len(problems) > 0 {
		t.Error(problems)
	}
	for path, spoil := range map[string]func(*List){
		"programId": func(l *List) { l.ProgramID = 0 },
		"name":      func(l *List) { l.Name = "4111 1111 1111 1111" },
		"act":       func(l *List) { l.Act = "archive" },
		"perDay":    func(l *List) { l.Act = Lock },
		"reason":    func(l *List) { l.Actor.Reason = "" },
	} {
		l := right
		spoil(&l)
		if problems := problem.Check(l); len(problems) != 1 || problems[0].Path != path {
			t.Errorf("%s: %v", path, problems)
		}
	}
}
