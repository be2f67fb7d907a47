package admin

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// askApproval keeps a request as it was sent, and returns the problem that says so.
func (c *call) askApproval(ctx context.Context) error {
	kept, err := c.desk.acts.AskApproval(ctx, c.who, operator.Approval{
		Act: c.row.Summary, Method: c.row.Method, Body: c.body, IfMatch: c.revision,
		Path: c.request.Path, Roles: c.row.Roles, Location: c.place,
		Subject: subjectText(c.subject()),
		AskedBy: c.Identity,
	})
	if err != nil {
		return err
	}
	return needsApproval(kept.ID)
}

// keepInstead has the approval of an act on a program keep a value in place of the body.
func (c *call) keepInstead(ctx context.Context, programID int, value any) (err error) {
	c.place, err = c.desk.acts.Locate(ctx, c.who, "programs", programID)
	if err == nil {
		c.body, err = json.Marshal(value)
	}
	return err
}

func subjectText(s audit.Subject) string {
	if s.Kind == "" {
		return ""
	}
	return string(s.Kind) + ":" + s.ID
}

// carryOut approves an act and does it in the name of the requester, for whom it keeps the answer. A
// requester who has lost the role or the bank meanwhile is refused. The approval is part of the
// first transaction of the act, so of several operators who approve one succeeds. An answer that may
// be another one later goes to the operator who approves, and the approval waits on.
func (d *Desk) carryOut(
	ctx context.Context, by *call, a operator.Approval,
) (done issuing.Approval, err error) {
	asker, active, err := d.tokens.Current(ctx, a.AskedBy)
	if err != nil {
		return done, err
	}
	if !active {
		asker = operator.Identity{ // with no role and no bank
			Name: a.AskedBy.Name, IsToken: a.AskedBy.IsToken, ID: a.AskedBy.ID,
		}
	}
	confirmed := &issuing.Confirmation{ID: a.ID, By: by.who, Identity: by.Identity}
	who := operatorOf(asker, by.who.Actor)
	who.Reason, who.Confirmed = confirmedBy(a, by.Name), confirmed
	c, err := d.repeat(by, who, a, asker)
	if err != nil {
		return done, err
	}
	result, err := Result{}, error(notAllowed(c.row))
	if c.row.allows(c.Roles) && (c.place.BankID == 0 || who.Scope.Includes(c.place.BankID)) {
		result, err = c.run(ctx)
	}
	ctx, cancel := outlive(ctx)
	defer cancel()
	if err == nil {
		response, err := result.Response()
		if err != nil {
			return done, err
		}
		return d.acts.KeepResult(ctx, confirmed, issuing.Encoded{
			Status: response.Status, Body: response.Body,
		})
	}
	ended := (*operator.EndError)(nil)
	refusal := (*web.Problem)(nil)
	if errors.As(err, &ended) || !errors.As(c.explained(problemOf(err)), &refusal) ||
		refusal.Status >= 500 || refusal.Status == http.StatusTooManyRequests {
		return done, err
	}
	done, err = d.acts.KeepResult(ctx, confirmed, issuing.Encoded{
		Status: refusal.Status, Body: append(refusal.JSON(), '\n'),
	})
	if err == nil {
		d.auditRefusal(ctx, c, refusal)
		by.request.Sender.Note(slog.String("refused", refusal.Type))
	}
	return done, err
}

// confirmedBy is the reason of an approved act: under both names.
func confirmedBy(a operator.Approval, name string) string {
	text := "confirmed by " + name + ", approval " + strconv.Itoa(a.ID)
	if a.Reason == "" {
		return text
	}
	return a.Reason + " (" + text + ")"
}

// repeat is the request of an approved act, as if the requester had sent it now.
func (d *Desk) repeat(
	by *call, who issuing.Operator, approved operator.Approval, asker operator.Identity,
) (*call, error) {
	row, params, _ := d.find(approved.Method, approved.Path)
	if row == nil {
		return nil, web.NotFound()
	}
	c := d.call(Request{
		Method: approved.Method, Path: approved.Path, Who: asker, ID: by.request.ID, Sender: by.request.Sender,
	}, row, params)
	c.who, c.place, c.body, c.revision = who, approved.Location, approved.Body, approved.IfMatch
	c.approved = true
	return c, nil
}
