package issuingtest

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing/transfers"
	"mintmark/internal/store"
)

// Seal encrypts a text with the public key of the service, as the processor does.
func (w *World) Seal(text string) string {
	w.TB.Helper()
	set, err := w.Transfers.ProcessorKeySet()
	if err != nil {
		w.TB.Fatal(err)
	}
	var keys jose.JSONWebKeySet
	if err := json.Unmarshal(set, &keys); err != nil || len(keys.Keys) != 1 {
		w.TB.Fatalf("the set is %s (%v)", set, err)
	}
	encrypter, err := jose.NewEncrypter(jose.A256GCM,
		jose.Recipient{Algorithm: jose.RSA_OAEP_256, Key: keys.Keys[0]}, nil)
	if err != nil {
		w.TB.Fatal(err)
	}
	message, err := encrypter.Encrypt([]byte(text))
	if err != nil {
		w.TB.Fatal(err)
	}
	sealed, err := message.CompactSerialize()
	if err != nil {
		w.TB.Fatal(err)
	}
	return sealed
}

// ProcessorActor is the card processor as an actor, as its face sets it.
var ProcessorActor = audit.Actor{
	Kind: audit.Processor, Name: "processor", Address: "192.0.2.1",
	RequestID: "3f2504e0-4f89-41d3-9a0c-0305e82c3302",
}

// Cents returns an amount in hundredths.
func Cents(n int64) value.Amount { return value.Amount{TenThousandths: n * 100} }

// Spendable gives card 5001 checking accounts from 2001 on with balances in cents, and removes
// every limit of the program.
func (w *World) Spendable(balances ...int64) {
	w.TB.Helper()
	w.SetLimits(func(s *program.Settings) { *s = withoutLimits(*s) })
	w.Update(func(tx store.Tx) error {
		before, err := tx.Cards().Find(1, 5001)
		if err != nil {
			return err
		}
		after := before
		after.Slots, after.PrimaryCategory = card.Slots{}, customer.Checking
		for i, balance := range balances {
			after.Slots.Checking = append(after.Slots.Checking, 2001+i)
			a, err := tx.Balances().Find(2001 + i)
			if err != nil {
				return err
			}
			a.Balance, a.Available = Cents(balance), Cents(balance)
			if err := tx.Balances().Change(a); err != nil {
				return err
			}
		}
		return tx.Cards().Change(before, &after)
	})
}

func withoutLimits(s program.Settings) program.Settings {
	s.PerTransactionDepositLimit, s.PerTransactionWithdrawLimit = nil, nil
	s.PerUserDailyDepositLimit, s.PerUserDailyWithdrawLimit = nil, nil
	s.PerUserMonthlyDepositLimit, s.PerUserMonthlyWithdrawLimit = nil, nil
	s.PerProgramDailyDepositLimit, s.PerProgramDailyWithdrawLimit = nil, nil
	return s
}

// SetLimits changes the settings of program 1.
func (w *World) SetLimits(change func(*program.Settings)) {
	w.TB.Helper()
	w.Update(func(tx store.Tx) error {
		p, err := tx.Programs().Find(1)
		if err != nil {
			return err
		}
		change(&p.Settings)
		return tx.Programs().Put(p)
	})
}

// PurchaseRequest returns a request for a purchase with card 5001.
func PurchaseRequest(id string, amount int64) authorization.Request {
	return authorization.Request{
		ID: id, CardID: 5001, At: Start, Decimals: 2,
		Transfer: authorization.Transfer{Kind: authorization.Purchase, Amount: Cents(amount)},
	}
}

// WantTransferError compares the error of a rejected message with the expected one.
func WantTransferError(t *testing.T, err error, want transfers.TransferError) {
	t.Helper()
	var got *transfers.TransferError
	if !errors.As(err, &got) {
		t.Errorf("the error is %v, want %v", err, want)
		return
	}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}
