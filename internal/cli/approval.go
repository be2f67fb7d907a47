package cli

import (
	"context"

	"mintmark/client/admin"
)

// approvalByHand is what prints the answer to another request.
type approvalByHand struct {
	Result approvalResult `cmd:"" example:"1" help:"Print the result of your own approved act, once."`
}

type approvalResult struct {
	Remote
	ID int `arg:"" help:"Number of the approval."`
}

func (a approvalResult) Run(ctx context.Context, t Terminal) error {
	return a.show(ctx, t, admin.Request{
		Method: "POST", Path: path("approvals", a.ID, "result"),
	})
}
