package admin

import (
	"context"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
)

// Frame is the data around every page of the console.
type Frame struct {
	Banks    []wire.Bank   // in scope
	Programs []ProgramName // in scope
	Waiting  []wire.Approval
	Others   []operator.Identity // other active people, who may approve
	FourEyes bool                // acts outside any program need a second operator

	FailedOrders, FailingWebhooks int
}

// ProgramName is a program without its settings.
type ProgramName struct {
	ID, BankID     int
	Name, TimeZone string
	DecimalCount   int
	FourEyes       bool
}

// Frame reads the frame for an operator in one transaction.
func (d *Desk) Frame(ctx context.Context, who operator.Identity) (Frame, error) {
	read, err := d.acts.Overview.Frame(ctx, who)
	if err != nil {
		return Frame{}, problemOf(err)
	}
	frame := Frame{
		Banks: forms(read.Banks, bankOf), Waiting: forms(read.Waiting, showApproval),
		Others: read.Others, FourEyes: read.FourEyes, FailedOrders: read.FailedOrders,
		FailingWebhooks: read.FailingWebhooks,
	}
	for _, p := range read.Programs {
		frame.Programs = append(frame.Programs, ProgramName(p))
	}
	return frame, nil
}
