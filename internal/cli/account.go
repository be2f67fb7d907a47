package cli

import "context"

// accountByHand is what makes an account: it says what to do next.
type accountByHand struct {
	Create accountCreate `cmd:"" help:"Create an account of a customer, under the bank's number."`
}

type accountCreate struct{ Creation }

func (accountCreate) Help() string {
	return membersOfFile["account"].help("Its owner, too, needs access to it before a card can " +
		"draw on it: account access set.\n\n" +
		`mintmark account create --set id=2901 --set programId=1 --set customerId=1001 ` +
		`--set type=Checking --set status=Open --set name=Travel ` +
		`--set accountNumber=12345678 --set accountBalance=100`)
}

func (a accountCreate) Run(ctx context.Context, t Terminal) error {
	err := a.create(ctx, t, "accounts", membersOfFile["account"].isText)
	if err == nil {
		t.say("Its owner needs access to it before a card can draw on it: " +
			"mintmark account access set ACCOUNT CUSTOMER --access FULL")
	}
	return err
}
