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

// askApproval stores a request as sent, and returns the problem needs-approval.
func (c *call) askApproval(ctx context.Context) error {
	kept, err := c.desk.acts.RequestApproval(ctx, c.who, operator.Approval{
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

// storeForApproval makes the approval of an act on a program store value instead of the body.
func (c *call) storeForApproval(ctx context.Context, programID int, value any) (err error) {
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

// carryOut approves an act and performs it on behalf of the requester, for whom it stores the
// answer. It rejects the act if the requester has lost the role or the bank since. The approval is
// part of the act's first transaction, so only one of several approvers succeeds. A transient error
// goes to the approver, and the approval stays pending.
func (d *Desk) carryOut(
	ctx context.Context, by *call, a operator.Approval,
) (done issuing.Approval, err error) {
	asker, active, err := d.tokens.Current(ctx, a.AskedBy)
	if err != nil {
		return done, err
	}
	if !active {
		asker = operator.Identity{ // no roles, no banks
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
	ctx, cancel := storingContext(ctx)
	defer cancel()
	if err == nil {
		response, err := result.Response()
		if err != nil {
			return done, err
		}
		return d.acts.StoreResult(ctx, confirmed, issuing.Encoded{
			Status: response.Status, Body: response.Body,
		})
	}
	ended := (*operator.EndError)(nil)
	refusal := (*web.Problem)(nil)
	if errors.As(err, &ended) || !errors.As(c.explained(problemOf(err)), &refusal) ||
		refusal.Status >= 500 || refusal.Status == http.StatusTooManyRequests {
		return done, err
	}
	done, err = d.acts.StoreResult(ctx, confirmed, issuing.Encoded{
		Status: refusal.Status, Body: append(refusal.JSON(), '\n'),
	})
	if err == nil {
		d.auditRefusal(ctx, c, refusal)
		by.request.Sender.Note(slog.String("refused", refusal.Type))
	}
	return done, err
}

// confirmedBy returns the reason of an approved act, which names the approver and the approval.
func confirmedBy(a operator.Approval, name string) string {
	text := "confirmed by " + name + ", approval " + strconv.Itoa(a.ID)
	if a.Reason == "" {
		return text
	}
	return a.Reason + " (" + text + ")"
}

// repeat returns the request of an approved act, as if the requester had sent it now.
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
