package admin

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/audit"
	"mintmark/internal/issuing"
	"mintmark/internal/operator"
	"mintmark/internal/web"
)

// fourEyes is a row of which every request needs a second operator, where four eyes are demanded:
// by the program of the path, or by the settings for what belongs to no program.
func fourEyes(r route) route {
	return fourEyesWhen(r, func(context.Context, *call) (bool, error) { return true, nil })
}

// fourEyesWhen is fourEyes for a row of which some requests need a second operator.
func fourEyesWhen(r route, needed func(context.Context, *call) (bool, error)) route {
	r.confirmed = needed
	return r
}

// confirm has a request wait for another operator where four eyes are demanded. The error is then
// the problem needs-approval. A dry run shows what the act would do.
func (c *call) confirm(ctx context.Context) error {
	if c.approved || c.who.DryRun {
		return nil
	}
	demanded, err := c.face.demandsTwo(ctx, c.place)
	if err != nil || !demanded {
		return err
	}
	// What cannot be done now needs nobody's approval.
	probe := *c
	probe.who.DryRun = true
	if _, err := c.row.answer(ctx, &probe); err != nil {
		return err
	}
	asked := operator.Approval{
		Act: c.row.Summary, Method: c.row.method, Body: c.body, IfMatch: c.revision,
		Path:  strings.TrimPrefix(c.exchange.Request.URL.EscapedPath(), wire.Prefix),
		Roles: c.row.Roles, Place: c.place, Subject: subjectText(c.subject()),
		AskedBy: c.Identity,
	}
	kept, err := c.face.acts.AskApproval(ctx, c.who, asked)
	if err != nil {
		return err
	}
	c.exchange.Header.Set("Location", wire.Prefix+"approvals/"+strconv.Itoa(kept.ID))
	return needsApproval(kept.ID)
}

// demandsTwo reports whether acts at a place need a second operator.
func (f *Face) demandsTwo(ctx context.Context, at issuing.Place) (bool, error) {
	if at.ProgramID == 0 {
		return f.about.FourEyes != nil && f.about.FourEyes(), nil
	}
	return f.acts.NeedsTwo(ctx, at.ProgramID)
}

func subjectText(s audit.Subject) string {
	if s.Kind == "" {
		return ""
	}
	return string(s.Kind) + ":" + s.ID
}

// carryOut does an approved act in the name of who has asked for it, and keeps the answer for them.
// Who has lost the role or the bank meanwhile is refused. The act is done once, however often that
// is tried. An answer that may be another one later is given to who approves, and nothing is kept
// of it.
func (f *Face) carryOut(
	ctx context.Context, by *call, approved operator.Approval,
) (operator.Approval, error) {
	asker, active, err := f.tokens.Current(ctx, approved.AskedBy)
	if err != nil {
		return operator.Approval{}, err
	}
	if !active {
		asker = operator.Identity{Name: approved.AskedBy.Name} // with no role and no bank
	}
	approved.AskedBy = asker
	key := "approval:" + strconv.Itoa(approved.ID)
	who := by.who
	who.Name, who.Roles, who.Scope = asker.Name, asker.Roles, asker.Scope
	who.Reason = confirmedBy(approved)
	request, earlier, err := f.acts.BeginOperator(ctx, who, "approvals", key, []byte(key))
	if errors.Is(err, issuing.ErrAnswerLost) {
		lost := web.Conflict("The act was done, and its answer was lost.")
		lost.RequestID = by.exchange.ID
		return f.acts.PutResult(ctx, approved, issuing.Encoded{
			Status: lost.Status, Body: append(lost.JSON(), '\n'),
		})
	}
	if err != nil {
		return operator.Approval{}, err
	}
	if earlier != nil {
		return f.acts.PutResult(ctx, approved, *earlier)
	}
	defer request.End()
	who.Request = request
	answer, err := f.do(ctx, by, who, approved)
	if err != nil {
		return operator.Approval{}, err
	}
	return f.acts.PutResult(ctx, approved, answer)
}

// confirmedBy is the reason of an approved act: under both names.
func confirmedBy(a operator.Approval) string {
	text := "confirmed by " + a.EndedBy + ", approval " + strconv.Itoa(a.ID)
	if a.Reason == "" {
		return text
	}
	return a.Reason + " (" + text + ")"
}

// do runs the row of an approved act as if who has asked had sent it now.
func (f *Face) do(
	ctx context.Context, by *call, who issuing.Operator, approved operator.Approval,
) (issuing.Encoded, error) {
	address := *by.exchange.Request.URL
	path, err := url.PathUnescape(approved.Path)
	if err != nil {
		path = approved.Path
	}
	address.Path, address.RawPath = wire.Prefix+path, wire.Prefix+approved.Path
	address.RawQuery = ""
	asked := &web.Exchange{
		Request: &http.Request{Method: approved.Method, URL: &address, Header: http.Header{}},
		Header:  http.Header{}, ID: by.exchange.ID, Settings: by.exchange.Settings,
	}
	row, params, err := f.find(asked)
	if err != nil {
		return issuing.Encoded{}, err
	}
	asked.Route = row.method + " " + wire.Prefix + row.Path
	c := f.call(asked, row, approved.AskedBy, params)
	c.who, c.place, c.body, c.revision = who, approved.Place, approved.Body, approved.IfMatch
	c.approved = true
	var response web.Response
	err = notAllowed(row.Operation)
	if row.allows(c.Roles) && (c.place.BankID == 0 || who.Scope.Includes(c.place.BankID)) {
		response, err = row.answer(ctx, c)
	}
	if err == nil {
		return issuing.Encoded{Status: response.Status, Body: response.Body}, nil
	}
	err = problemOf(err)
	problem := (*web.Problem)(nil)
	if !errors.As(err, &problem) || problem.Status >= 500 ||
		problem.Status == http.StatusTooManyRequests {
		return issuing.Encoded{}, err
	}
	f.auditRefusal(ctx, c, problem)
	by.exchange.Note(slog.String("refused", problem.Type))
	told := *problem
	told.RequestID = by.exchange.ID
	return issuing.Encoded{Status: told.Status, Body: append(told.JSON(), '\n')}, nil
}
