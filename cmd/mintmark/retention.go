package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/app"
)

// days is a period of whole days, written like 90d.
type days int

// The range of each period. Zero means its default.
const leastDays, mostDays = 1, 3660

// minAudit is the minimum number of days that audit entries stay in the database. Receivers of
// events catch up from them, and they record when the last backup was made.
const minAudit = 90

// UnmarshalYAML reads a period.
func (d *days) UnmarshalYAML(node *yaml.Node) error {
	digits, written := strings.CutSuffix(node.Value, "d")
	number, err := strconv.Atoi(digits)
	if !written || err != nil {
		return &yaml.TypeError{Errors: []string{
			fmt.Sprintf("line %d: %q is not a period like 90d", node.Line, node.Value),
		}}
	}
	if number < leastDays || number > mostDays {
		return &yaml.TypeError{Errors: []string{
			fmt.Sprintf("line %d: %q is not from %dd to %dd", node.Line, node.Value, leastDays,
				mostDays),
		}}
	}
	*d = days(number)
	return nil
}

func (d days) duration() time.Duration { return time.Duration(d) * 24 * time.Hour }

func (r retention) settings(f *findings) (app.Retention, app.Archives) {
	if (r.Audit == 0) != (r.Archives == "") {
		f.add("retention.audit, retention.archives: set both or neither")
	}
	if r.Audit != 0 && r.Audit < minAudit {
		f.add("retention.audit: %dd is not from %dd to %dd", r.Audit, minAudit, mostDays)
	}
	return app.Retention{
		Answers: r.Answers.duration(), Deliveries: r.Deliveries.duration(),
		Orders: r.Orders.duration(), Approvals: r.Approvals.duration(),
		Reconciliations: r.Reconciliations.duration(),
	}, app.Archives{Keep: r.Audit.duration(), Directory: r.Archives}
}
