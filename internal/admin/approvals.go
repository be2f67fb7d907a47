package admin

import (
	"context"
	"encoding/json"
	"net/http"

	wire "mintmark/client/admin"
	"mintmark/internal/issuing"
	"mintmark/internal/operator"
	"mintmark/internal/web"
)

// approvalRoutes are open to every role: who may see an approval, and who may end it, follows from
// the act that it is about.
func (f *Face) approvalRoutes() []route {
	approve := act(Operation{
		Path: "approvals/{id}/approve", Summary: "Approve an act of another operator",
		Reason: true,
	}, f.approve)
	approve.confirms = true
	result := download(Operation{
		Path: "approvals/{id}/result", Summary: "Read the answer to an approved act, once",
	}, web.JSONType, f.approvalResult)
	return []route{
		list(Operation{
			Path: "approvals", Summary: "List acts that wait, or waited, for a second operator",
			Query: []Parameter{
				{"state", "waiting, approved, rejected or lapsed"},
				{"programId", "of one program"},
				{"mine", "true: those that the operator has asked for"},
			},
		}, f.listApprovals),
		get(Operation{Path: "approvals/{id}", Summary: "Read an approval"}, f.readApproval),
		approve,
		act(Operation{
			Path: "approvals/{id}/reject", Summary: "Reject an act of another operator",
			Reason: true,
		}, f.reject),
		result,
	}
}

func (f *Face) listApprovals(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Approval, string, error) {
	filter := issuing.ApprovalFilter{State: operator.ApprovalState(c.query.Get("state"))}
	switch filter.State {
	case "", operator.Waiting, operator.Approved, operator.Rejected, operator.Lapsed:
	default:
		return nil, "", invalidQuery("state", "must be waiting, approved, rejected or lapsed")
	}
	var err error
	filter.ProgramID, err = c.queryNumber("programId")
	if err != nil {
		return nil, "", err
	}
	filter.Mine, err = c.truth("mine")
	if err != nil {
		return nil, "", err
	}
	found, last, err := f.acts.ListApprovals(ctx, c.Identity, filter, page)
	var items []wire.Approval
	for _, one := range found {
		items = append(items, showApproval(one))
	}
	return items, last, err
}

func (f *Face) readApproval(ctx context.Context, c *call) (wire.Approval, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Approval{}, err
	}
	found, err := f.acts.FindApproval(ctx, c.Identity, id)
	return showApproval(found), err
}

func (f *Face) approve(ctx context.Context, c *call, _ wire.EndApproval) (wire.Approval, error) {
	return f.endApproval(ctx, c, true)
}

func (f *Face) reject(ctx context.Context, c *call, _ wire.EndApproval) (wire.Approval, error) {
	return f.endApproval(ctx, c, false)
}

func (f *Face) endApproval(ctx context.Context, c *call, approve bool) (wire.Approval, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Approval{}, err
	}
	before, err := f.acts.FindApproval(ctx, c.Identity, id)
	if err != nil {
		return wire.Approval{}, err
	}
	if c.revision != 0 && c.revision != before.Revision {
		return wire.Approval{}, stale()
	}
	ended, err := f.acts.EndApproval(ctx, c.who, c.Identity, id, approve)
	if err != nil {
		return wire.Approval{}, err
	}
	if c.who.DryRun {
		return showApproval(issuing.Approval{Approval: ended}), nil
	}
	if approve {
		if _, err := f.carryOut(ctx, c, ended); err != nil {
			return wire.Approval{}, err
		}
	}
	return f.readApproval(ctx, c)
}

// approvalResult answers as the act would have answered who has asked for it.
func (f *Face) approvalResult(ctx context.Context, c *call) (web.Response, error) {
	id, err := c.number("id")
	if err != nil {
		return web.Response{}, err
	}
	result, err := f.acts.TakeResult(ctx, c.who, c.Identity, id)
	if err != nil {
		return web.Response{}, err
	}
	response := web.Response{Status: result.Status, Body: result.Body}
	switch {
	case result.Status >= 400:
		response.ContentType = web.ProblemType
	case result.Status == http.StatusNoContent:
		response.Status, response.Body = http.StatusOK, []byte("{}\n")
	}
	return response, nil
}

func showApproval(a issuing.Approval) wire.Approval {
	shown := wire.Approval{
		ID: a.ID, Revision: a.Revision, State: string(a.State), Act: a.Act, Method: a.Method,
		Path: wire.Prefix + a.Path, Subject: a.Subject, ProgramID: a.ProgramID, BankID: a.BankID,
		Reason: a.Reason, AskedBy: a.AskedBy.Name, Asked: a.Asked, Lapses: a.Lapses,
		EndedBy: a.EndedBy, Why: a.Why, Mine: a.Mine, MayEnd: a.MayEnd, HasResult: a.HasResult,
		ResultStatus: a.Status,
	}
	if len(a.Body) > 0 && json.Valid(a.Body) {
		shown.Body = withoutSecrets(a.Body)
	}
	if !a.Ended.IsZero() {
		ended := a.Ended
		shown.Ended = &ended
	}
	return shown
}
