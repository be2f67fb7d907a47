package cli

import (
	"context"

	"mintmark/client/admin"
)

// approvalCommands are the commands on acts that wait for another operator.
type approvalCommands struct {
	List     approvalList     `cmd:"" help:"List approvals, newest first."`
	Get      approvalGet      `cmd:"" help:"Print what is asked for."`
	Approve  approvalApprove  `cmd:"" help:"Confirm an act of another operator: it happens."`
	Reject   approvalReject   `cmd:"" help:"Refuse an act of another operator."`
	Withdraw approvalWithdraw `cmd:"" help:"Take an act of one's own back."`
	Result   approvalResult   `cmd:"" help:"Print the result of an act of one's own, once."`
}

// approvalList lists approvals.
type approvalList struct {
	Listing
	State   string `placeholder:"STATE" help:"In a state: waiting, done, rejected, withdrawn or lapsed." group:"Filter"`
	Program int    `placeholder:"ID" help:"In a program." group:"Filter"`
	Mine    bool   `help:"Asked for by oneself." group:"Filter"`
}

func (approvalList) Help() string { return "mintmark approval list --state waiting" }

func (a approvalList) Run(ctx context.Context, t Terminal) error {
	filter := query("state", a.State, "programId", a.Program)
	if a.Mine {
		filter.Set("mine", "true")
	}
	return a.list(ctx, t, "approvals", filter, columns[admin.Approval](
		"id", "state", "act", "subject", "askedBy", "asked", "lapses", "endedBy", "mayEnd"))
}

// oneApproval is an approval.
type oneApproval struct {
	ID int `arg:"" help:"Number of the approval."`
}

// approvalGet prints an approval.
type approvalGet struct {
	Remote
	oneApproval
}

func (approvalGet) Help() string { return "mintmark approval get 1" }

func (a approvalGet) Run(ctx context.Context, t Terminal) error {
	return a.get(ctx, t, path("approvals", a.ID))
}

// approvalApprove approves.
type approvalApprove struct {
	Change
	oneApproval
}

func (approvalApprove) Help() string {
	return `mintmark approval approve 1 --reason "as agreed in the change meeting"`
}

func (a approvalApprove) Run(ctx context.Context, t Terminal) error {
	return a.act(ctx, t, path("approvals", a.ID, "approve"), body{})
}

// approvalReject rejects.
type approvalReject struct {
	Change
	oneApproval
}

func (approvalReject) Help() string {
	return `mintmark approval reject 2 --reason "nobody knows of it"`
}

func (a approvalReject) Run(ctx context.Context, t Terminal) error {
	return a.act(ctx, t, path("approvals", a.ID, "reject"), body{})
}

// approvalWithdraw withdraws.
type approvalWithdraw struct {
	Change
	oneApproval
}

func (approvalWithdraw) Help() string {
	return `mintmark approval withdraw 3 --reason "asked for by mistake"`
}

func (a approvalWithdraw) Run(ctx context.Context, t Terminal) error {
	return a.act(ctx, t, path("approvals", a.ID, "withdraw"), body{})
}

// approvalResult prints a result.
type approvalResult struct {
	Remote
	oneApproval
}

func (approvalResult) Help() string { return "mintmark approval result 1" }

func (a approvalResult) Run(ctx context.Context, t Terminal) error {
	return a.show(ctx, t, admin.Request{
		Method: "POST", Path: path("approvals", a.ID, "result"),
	})
}
