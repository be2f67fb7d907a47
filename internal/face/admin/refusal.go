package admin

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/domain/audit"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// subjects maps the first segment of a path to the audit's kind of subject.
var subjects = map[string]audit.SubjectKind{
	"cards": audit.Card, "customers": audit.Customer, "accounts": audit.Account,
	"programs": audit.Program, "banks": audit.Bank, "webhooks": audit.Webhook,
	"compromises": audit.Compromise, "orders": audit.Order, "operators": audit.Person,
	"tokens": audit.Token, "approvals": audit.Approval,
}

// auditRefusal records in the audit what was denied to an operator: every change, and every read
// that a role or scope forbids. If the entry cannot be written, the request is logged as an error;
// the denial stands.
func (d *Desk) auditRefusal(ctx context.Context, c *call, err error) {
	problem := (*web.Problem)(nil)
	if !errors.As(err, &problem) || problem.Status < 400 || problem.Status > 499 {
		return
	}
	hidden := problem.Status == http.StatusForbidden || problem.Status == http.StatusNotFound
	if c.who.DryRun || !c.row.Changes() && !hidden {
		return
	}
	if !strictjson.AreLines(c.who.Reason) || pan.MayContain(c.who.Reason) || len(c.who.Reason) > 4*maxReason {
		c.who.Reason = ""
	}
	name := strings.TrimPrefix(problem.Type, "/problems/")
	if err := d.acts.AuditRefusal(ctx, c.who, c.row.route(), c.subject(), c.place,
		"refused: "+name); err != nil {
		c.request.Sender.Fault(err)
	}
}

// subject returns what the path of a request names.
func (c *call) subject() audit.Subject {
	kind, known := subjects[c.row.segments()[0]]
	id := c.params["id"]
	if !known || id == "" {
		return audit.Subject{}
	}
	if number, err := c.parameter("id"); err == nil {
		return audit.Of(kind, number)
	}
	if kind == audit.Order && c.place != (issuing.Location{}) { // its place is known, so it exists
		return audit.Subject{Kind: kind, ID: id}
	}
	return audit.Subject{}
}
