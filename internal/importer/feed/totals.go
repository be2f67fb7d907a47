package feed

import (
	"context"
	"fmt"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
	"mintmark/internal/importer"
	"mintmark/internal/store"
)

// Totals compares the control totals of a file with those of the store.
type Totals struct {
	// Compared is false while only the totals of the core banking system are known.
	Compared bool `json:"compared"`

	Accounts struct {
		Core int `json:"core"`
		Here int `json:"here"`
	} `json:"accounts"`
	Balance struct {
		Core value.Amount `json:"core"`
		Here value.Amount `json:"here"`
	} `json:"balance"`
}

func (t *Totals) differ() bool {
	return t.Accounts.Core != t.Accounts.Here ||
		t.Balance.Core.TenThousandths != t.Balance.Here.TenThousandths
}

func (t *Totals) lines() []string {
	said := func(name string, core, here any, same bool) string {
		if same {
			return fmt.Sprintf("totals: %s %v, as in the core", name, here)
		}
		return fmt.Sprintf("totals: %s %v here, %v in the core", name, here, core)
	}
	return []string{
		said("accounts", t.Accounts.Core, t.Accounts.Here, t.Accounts.Core == t.Accounts.Here),
		said("balance", t.Balance.Core, t.Balance.Here,
			t.Balance.Core.TenThousandths == t.Balance.Here.TenThousandths),
	}
}

// totalsOf returns the control totals of a file before they are compared.
func totalsOf(core customer.AccountTotals) *Totals {
	t := &Totals{}
	t.Accounts.Core, t.Balance.Core = core.Accounts, amountOf(core.Balance)
	return t
}

func amountOf(tenThousandths int64) value.Amount {
	return value.Amount{TenThousandths: tenThousandths}.Fixed(value.AmountDigits)
}

// compare compares the totals of the file and stores the result in the state of the source. Adding
// up reads every account of the program, so it runs outside the transactions that others wait for.
func (p *pass) compare(
	ctx context.Context, throttle *importer.Throttle, add customer.AccountTotals,
) error {
	totals := p.report.Totals
	if totals == nil || totals.Compared {
		return nil
	}
	here, err := store.ViewOf(ctx, throttle, func(r store.Tx) (customer.AccountTotals, error) {
		return r.Feeds().Count(p.head.ProgramID)
	})
	if err != nil {
		return fmt.Errorf("%s %d was applied, but adding up its accounts failed: %w", p.head.Source,
			p.head.Sequence, err)
	}
	totals.Compared = true
	totals.Accounts.Here = here.Accounts + add.Accounts
	totals.Balance.Here = amountOf(here.Balance + add.Balance)
	if p.options.DryRun {
		return nil
	}
	return throttle.Update(ctx, func(tx store.Tx) error {
		state, err := stateOf(tx, p.head)
		if err != nil || state.Sequence != p.head.Sequence || state.Running != 0 {
			return err // a later file arrived meanwhile
		}
		state.Report, err = p.report.text()
		if err != nil {
			return err
		}
		return tx.Feeds().Put(state)
	})
}
