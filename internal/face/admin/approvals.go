package admin

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// approvals returns the resource of approvals, which is open to every role: the act determines who
// may see an approval and who may end it.
func (d *Desk) approvals() *Resource {
	approve := act(Op{
		Name: "approve", Summary: "Approve an act of another operator", Reason: true,
		Help:    "The act is carried out at once.",
		Example: `mintmark approval approve 1 --reason "as agreed in the change meeting"`,
	}, d.approve)
	approve.confirms = true
	result := download(Op{
		Name: "result", Summary: "Take the result of an approved act, once",
		Example: "mintmark approval result 1",
	}, web.JSONType, d.approvalResult)
	result.Method = http.MethodPost
	return &Resource{
		Noun: "approval", Path: "approvals", Item: "approvals/{id}",
		ID:   Param{Name: "id", Help: "Number of the approval.", Number: true},
		Help: "Acts that another operator has to confirm.",
		Nav:  Nav{"People", "Approvals"},
		Columns: []string{
			"id", "state", "act", "subject", "askedBy", "asked", "lapses", "endedBy", "mayEnd",
			"resultStatus",
		},
		Fields: []Field{
			{Name: "state", Label: "State", On: Shown,
				Help: "waiting, done, rejected, withdrawn or lapsed"},
			{Name: "act", Label: "Act", On: Shown, Help: "In words."},
			{Name: "method", Label: "Method of the request", On: Shown},
			{Name: "path", Label: "Path of the request", On: Shown},
			{Name: "body", Label: "Body of the request", On: Shown, Help: "Without secrets."},
			{Name: "ifMatch", Label: "Revision of the request", On: Shown,
				Help: "The act is refused if the object has another one."},
			{Name: "subject", Label: "Subject", On: Shown},
			{Name: "reason", Label: "Reason of the requester", On: Shown},
			{Name: "askedBy", Label: "Name of the requester", On: Shown},
			{Name: "requester", Label: "Requester", On: Shown},
			{Name: "asked", Label: "Requested", On: Shown},
			{Name: "lapses", Label: "Expires", On: Shown},
			{Name: "endedBy", Label: "Name of the decider", On: Shown},
			{Name: "decider", Label: "Decider", On: Shown,
				Help: "The operator who approved, rejected or withdrew the act."},
			{Name: "ended", Label: "Decided", On: Shown},
			{Name: "why", Label: "Reason of the decider", On: Shown},
			{Name: "mine", Label: "Requested by the reader", On: Shown},
			{Name: "mayEnd", Label: "The reader can decide it", On: Shown},
			{Name: "hasResult", Label: "The requester can take the result, once", On: Shown},
			{Name: "resultStatus", Label: "HTTP status of the result", On: Shown},
			{Name: "refusal", Label: "Why a rule refused the approved act", On: Shown},
		},
		List: list(Op{
			Summary: "List acts that wait, or waited, for a second operator",
			Example: "mintmark approval list --state waiting",
			Filters: []Field{
				{Name: "state", Label: "State",
					Help: "waiting, done, rejected, withdrawn or lapsed", Choices: approvalStates},
				{Name: "programId", Label: "Program", Help: "of one program"},
				{Name: "subject", Label: "Subject", Help: "about one thing, such as card:5001"},
				{Name: "mine", Label: "Mine", Choices: choices("true"),
					Help: "true: those that the operator requested"},
			},
		}, d.listApprovals),
		Show: get(Op{Summary: "Read an approval", Example: "mintmark approval get 1"},
			d.readApproval),
		Acts: []*Op{
			approve,
			act(Op{
				Name: "reject", Summary: "Reject an act of another operator", Reason: true,
				Example: `mintmark approval reject 2 --reason "not in the change plan"`,
			}, d.reject),
			act(Op{
				Name: "withdraw", Summary: "Withdraw an act that waits for a second operator",
				Reason: true, Example: `mintmark approval withdraw 3 --reason "asked for by mistake"`,
			}, d.withdraw),
			result,
		},
	}
}

var approvalStates = []Choice{
	{Value: "waiting", Label: "Waiting"}, {Value: "done", Label: "Approved"},
	{Value: "rejected", Label: "Rejected"}, {Value: "withdrawn", Label: "Withdrawn"},
	{Value: "lapsed", Label: "Expired"},
}

func (d *Desk) listApprovals(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Approval, string, error) {
	filter := issuing.ApprovalFilter{
		State: operator.ApprovalState(c.query.Get("state")), Subject: c.query.Get("subject"),
		ProgramID: c.number("programId"), Mine: c.flag("mine"),
	}
	if filter.State != "" && !slices.Contains(operator.ApprovalStates, filter.State) {
		return nil, "", invalidQuery("state",
			"must be waiting, done, rejected, withdrawn or lapsed")
	}
	return convertAll(showApproval)(d.acts.ListApprovals(ctx, c.Identity, filter, page))
}

func (d *Desk) readApproval(ctx context.Context, c *call) (wire.Approval, error) {
	a, err := d.acts.FindApproval(ctx, c.Identity, c.id("id"))
	return showApproval(a), err
}

func (d *Desk) approve(ctx context.Context, c *call, _ wire.EndApproval) (wire.Approval, error) {
	before, err := d.endable(ctx, c)
	if err != nil {
		return wire.Approval{}, err
	}
	tried, err := d.acts.DryRunApproval(ctx, c.who, c.Identity, before.ID)
	if err != nil {
		return wire.Approval{}, err
	}
	if c.who.DryRun {
		return showApproval(tried), nil
	}
	done, err := d.carryOut(ctx, c, before.Approval)
	return showApproval(done), err
}

func (d *Desk) reject(ctx context.Context, c *call, _ wire.EndApproval) (wire.Approval, error) {
	return d.endApproval(ctx, c, d.acts.RejectApproval)
}

func (d *Desk) withdraw(ctx context.Context, c *call, _ wire.EndApproval) (wire.Approval, error) {
	return d.endApproval(ctx, c, d.acts.WithdrawApproval)
}

func (d *Desk) endApproval(
	ctx context.Context, c *call,
	end func(context.Context, issuing.Operator, operator.Identity, int) (issuing.Approval, error),
) (wire.Approval, error) {
	before, err := d.endable(ctx, c)
	if err != nil {
		return wire.Approval{}, err
	}
	ended, err := end(ctx, c.who, c.Identity, before.ID)
	return showApproval(ended), err
}

// endable returns the approval of the path, if it still has the revision that the operator has
// read.
func (d *Desk) endable(ctx context.Context, c *call) (issuing.Approval, error) {
	a, err := d.acts.FindApproval(ctx, c.Identity, c.id("id"))
	if err == nil && c.revision != 0 && c.revision != a.Revision {
		err = stale()
	}
	return a, err
}

// approvalResult answers as the act would have answered its requester.
func (d *Desk) approvalResult(ctx context.Context, c *call) (web.Response, error) {
	result, err := d.acts.TakeResult(ctx, c.who, c.Identity, c.id("id"))
	if errors.Is(err, store.ErrNotFound) {
		return web.Response{}, d.noResult(ctx, c, err)
	}
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

// noResult explains to the requester why a request has no result to read.
func (d *Desk) noResult(ctx context.Context, c *call, err error) error {
	a, findErr := d.acts.FindApproval(ctx, c.Identity, c.id("id"))
	if findErr != nil || !a.Mine {
		return err
	}
	p := web.NotFound()
	switch a.State {
	case operator.Waiting, operator.Approved:
		p.Detail = "The request waits for approval. It has no result yet."
	case operator.Done:
		p.Detail = "The result can be read once, within 24 hours. It was read, or it has expired."
	default:
		p.Detail = "The request was not approved (" + string(a.State) + "). It has no result."
	}
	return p
}

func showApproval(a issuing.Approval) wire.Approval {
	shown := wire.Approval{
		ID: a.ID, Revision: a.Revision, State: string(a.State), Act: a.Act, Method: a.Method,
		Path: wire.Prefix + a.Path, IfMatch: a.IfMatch, Subject: a.Subject, ProgramID: a.ProgramID, BankID: a.BankID,
		Reason: a.Reason, AskedBy: a.AskedBy.Name, Requester: actorOf(a.AskedBy),
		Asked: a.Asked, Lapses: a.Lapses, EndedBy: a.EndedBy.Name, Why: a.Why,
		Mine: a.Mine, MayEnd: a.MayEnd, HasResult: a.HasResult,
		ResultStatus: a.Status,
	}
	var refusal web.Problem
	if json.Unmarshal(a.Refusal, &refusal) == nil {
		shown.Refusal = refusal.Detail
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
