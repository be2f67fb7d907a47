package admin

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// approvalRoutes are open to every role: who may see an approval, and who may end it, follows from
// the act that it is about.
func (f *Face) approvalRoutes() []*Op {
	approve := act(Op{
		Path: "approvals/{id}/approve", Summary: "Approve an act of another operator",
		Reason: true,
	}, f.approve)
	approve.confirms = true
	result := download(Op{
		Path: "approvals/{id}/result", Summary: "Take the answer to an approved act, once",
	}, web.JSONType, f.approvalResult)
	result.Method = http.MethodPost
	return []*Op{
		list(Op{
			Path: "approvals", Summary: "List acts that wait, or waited, for a second operator",
			Filters: []Field{
				{Name: "state", Help: "waiting, done, rejected, withdrawn or lapsed"},
				{Name: "programId", Help: "of one program"},
				{Name: "mine", Help: "true: those that the operator has asked for"},
			},
		}, f.listApprovals),
		get(Op{Path: "approvals/{id}", Summary: "Read an approval"}, f.readApproval),
		approve,
		act(Op{
			Path: "approvals/{id}/reject", Summary: "Reject an act of another operator",
			Reason: true,
		}, f.reject),
		act(Op{
			Path: "approvals/{id}/withdraw", Reason: true,
			Summary: "Withdraw an act that waits for a second operator",
		}, f.withdraw),
		result,
	}
}

func (f *Face) listApprovals(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Approval, string, error) {
	filter := issuing.ApprovalFilter{State: operator.ApprovalState(c.query.Get("state"))}
	if filter.State != "" && !slices.Contains(operator.ApprovalStates, filter.State) {
		return nil, "", invalidQuery("state",
			"must be waiting, done, rejected, withdrawn or lapsed")
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
	before, err := f.endable(ctx, c)
	if err != nil {
		return wire.Approval{}, err
	}
	tried, err := f.acts.TryApproval(ctx, c.who, c.Identity, before.ID)
	if err != nil {
		return wire.Approval{}, err
	}
	if c.who.DryRun {
		return showApproval(tried), nil
	}
	done, err := f.carryOut(ctx, c, before.Approval)
	return showApproval(done), err
}

func (f *Face) reject(ctx context.Context, c *call, _ wire.EndApproval) (wire.Approval, error) {
	return f.endApproval(ctx, c, f.acts.RejectApproval)
}

func (f *Face) withdraw(ctx context.Context, c *call, _ wire.EndApproval) (wire.Approval, error) {
	return f.endApproval(ctx, c, f.acts.WithdrawApproval)
}

func (f *Face) endApproval(
	ctx context.Context, c *call,
	end func(context.Context, issuing.Operator, operator.Identity, int) (issuing.Approval, error),
) (wire.Approval, error) {
	before, err := f.endable(ctx, c)
	if err != nil {
		return wire.Approval{}, err
	}
	ended, err := end(ctx, c.who, c.Identity, before.ID)
	return showApproval(ended), err
}

// endable finds the approval of the path at the revision that the operator has read.
func (f *Face) endable(ctx context.Context, c *call) (issuing.Approval, error) {
	id, err := c.number("id")
	if err != nil {
		return issuing.Approval{}, err
	}
	found, err := f.acts.FindApproval(ctx, c.Identity, id)
	if err == nil && c.revision != 0 && c.revision != found.Revision {
		err = stale()
	}
	return found, err
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
	if c.who.DryRun && response.Status < http.StatusBadRequest {
		response.Status, response.Body = http.StatusOK, withoutSecrets(response.Body)
	}
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
		Reason: a.Reason, AskedBy: a.AskedBy.Name, Requester: actorOf(a.AskedBy),
		Asked: a.Asked, Lapses: a.Lapses, EndedBy: a.EndedBy.Name, Why: a.Why,
		Mine: a.Mine, MayEnd: a.MayEnd, HasResult: a.HasResult,
		ResultStatus: a.Status,
	}
	if len(a.Body) > 0 && json.Valid(a.Body) {
		shown.Body = withoutSecrets(a.Body)
	}
	if !a.Ended.IsZero() {
		ended, decider := a.Ended, actorOf(a.EndedBy)
		shown.Ended, shown.Decider = &ended, &decider
	}
	return shown
}

func actorOf(i operator.Identity) wire.Actor {
	return wire.Actor{Kind: i.Kind(), ID: i.ID, Name: i.Name}
}
