package feed

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
	"mintmark/internal/importer"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// The rows as they are written. Empty members are left out: they are the defaults of a new row.
type (
	headLine struct {
		Source    string `json:"source"`
		ProgramID int    `json:"programId"`
		Sequence  int    `json:"sequence"`
	}
	start struct {
		Kind string `json:"kind"`
		Op   string `json:"op"`
	}
	customerLine struct {
		start
		CustomerID   int               `json:"customerId"`
		Status       string            `json:"status"`
		Access       string            `json:"access"`
		FirstName    string            `json:"firstName"`
		LastName     string            `json:"lastName"`
		BirthDate    string            `json:"birthDate"`
		DeceasedDate string            `json:"deceasedDate,omitempty"`
		MobilePhone  string            `json:"mobilePhone,omitempty"`
		HomePhone    string            `json:"homePhone,omitempty"`
		Mailing      *customer.Address `json:"mailing,omitempty"`
		Residence    *customer.Address `json:"residence,omitempty"`
		IsActive     bool              `json:"isActive"`
		IsLocked     bool              `json:"isLocked"`
	}
	accountLine struct {
		start
		AccountID        int          `json:"accountId"`
		CustomerID       int          `json:"customerId"`
		Type             string       `json:"type"`
		Status           string       `json:"status"`
		Name             string       `json:"name"`
		Tag              string       `json:"tag,omitempty"`
		NumberMasked     string       `json:"numberMasked"`
		AccountBalance   value.Amount `json:"accountBalance"`
		AvailableBalance value.Amount `json:"availableBalance"`
		PendingBalance   value.Amount `json:"pendingBalance"`
	}
	accessLine struct {
		start
		CustomerID int    `json:"customerId"`
		AccountID  int    `json:"accountId"`
		Access     string `json:"access"`
	}
	totalsLine struct {
		Totals totalsMembers `json:"totals"`
	}
	totalsMembers struct {
		Accounts int          `json:"accounts"`
		Balance  value.Amount `json:"balance"`
	}
)

// exportPage is the number of customers or accounts that are read in one snapshot.
const exportPage = 500

type exporting struct {
	kept    importer.Store
	program int
	digits  int
	to      *json.Encoder
	totals  customer.AccountTotals

	customerRows, accountRows, accessRows int
}

// Export writes the customers, accounts and access of a program as the file that a source would
// send next: fed into the same installation, it changes nothing. Each page is read from a separate
// snapshot, so changes made meanwhile may or may not be in the file; the totals match its rows. It
// returns the number of rows of each kind as text.
func Export(
	ctx context.Context, kept importer.Store, source string, programID int, to io.Writer,
) (counts string, err error) {
	buffered := bufio.NewWriter(to)
	e := &exporting{kept: kept, program: programID, to: json.NewEncoder(buffered)}
	e.to.SetEscapeHTML(false)
	var state store.Feed
	err = kept.View(ctx, func(r store.Tx) error {
		p, err := r.Programs().Find(programID)
		if err != nil {
			return err
		}
		e.digits = p.Settings.DecimalCount
		state, err = stateOf(r, Head{Source: source, ProgramID: programID})
		return err
	})
	if err != nil {
		return "", err
	}
	if err := e.to.Encode(headLine{
		Source: source, ProgramID: programID, Sequence: state.Sequence + 1,
	}); err != nil {
		return "", err
	}
	for _, list := range []func(context.Context, int) (int, error){
		e.customers, e.accounts, e.access,
	} {
		for after, more := 0, true; more; {
			last, err := list(ctx, after)
			if err != nil {
				return "", err
			}
			after, more = last, last != 0
		}
	}
	err = e.to.Encode(totalsLine{totalsMembers{e.totals.Accounts, e.amount(e.totals.Balance)}})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("customers %d, accounts %d, access %d", e.customerRows, e.accountRows,
		e.accessRows), buffered.Flush()
}

// amount returns an amount with the number of digits of the program, or more if the amount has
// more.
func (e *exporting) amount(tenThousandths int64) value.Amount {
	a := value.Amount{TenThousandths: tenThousandths}
	return a.Fixed(max(e.digits, a.Digits()))
}

// customers writes a page of the customers after an id, and returns the last id, or 0 if there are
// no more.
func (e *exporting) customers(ctx context.Context, after int) (last int, err error) {
	list, err := store.ViewOf(ctx, e.kept, func(r store.Tx) ([]customer.Customer, error) {
		ids, err := e.customerIDs(r, after)
		if err != nil {
			return nil, err
		}
		byID, err := r.Customers().FindMany(ids)
		return ordered(ids, byID), err
	})
	if err != nil {
		return 0, err
	}
	e.customerRows += len(list)
	for _, c := range list {
		last = c.ID
		if err := e.to.Encode(lineOfCustomer(c)); err != nil {
			return 0, err
		}
	}
	return last, nil
}

func (e *exporting) customerIDs(r store.Tx, after int) ([]int, error) {
	return r.Customers().List(store.CustomerQuery{
		Programs: []int{e.program}, After: after, Limit: exportPage,
	})
}

// ordered returns the values of byID in the order of ids.
func ordered[T any](ids []int, byID map[int]T) []T {
	var items []T
	for _, id := range ids {
		if entry, ok := byID[id]; ok {
			items = append(items, entry)
		}
	}
	return items
}

func lineOfCustomer(c customer.Customer) customerLine {
	return customerLine{
		start: start{"customer", "put"}, CustomerID: c.ID, Status: string(c.Status),
		Access: string(c.AccessType), FirstName: c.FirstName, LastName: c.LastName,
		BirthDate: value.DateText(c.Birth), DeceasedDate: value.DateText(c.Deceased),
		MobilePhone: c.MobilePhone, HomePhone: c.HomePhone, Mailing: lineOfAddress(c.Mailing),
		Residence: lineOfAddress(c.Residence), IsActive: c.IsActive, IsLocked: c.IsLocked,
	}
}

func lineOfAddress(a customer.Address) *customer.Address {
	if a == (customer.Address{}) {
		return nil
	}
	return &a
}

// accounts writes a page of the accounts after an id.
func (e *exporting) accounts(ctx context.Context, after int) (last int, err error) {
	list, err := store.ViewOf(ctx, e.kept, func(r store.Tx) ([]customer.Account, error) {
		ids, err := r.Accounts().List(store.AccountQuery{
			Programs: []int{e.program}, After: after, Limit: exportPage,
		})
		if err != nil {
			return nil, err
		}
		byID, err := r.Accounts().FindMany(ids)
		return ordered(ids, byID), err
	})
	if err != nil {
		return 0, err
	}
	for _, a := range list {
		last = a.ID
		e.accountRows++
		if a.Status != customer.Closed {
			e.totals.Accounts++
			e.totals.Balance += a.Balance.TenThousandths
		}
		a = entity.WithoutHolds(a)
		err := e.to.Encode(accountLine{
			start: start{"account", "put"}, AccountID: a.ID, CustomerID: a.CustomerID,
			Type: string(a.Type), Status: string(a.Status), Name: a.Name, Tag: a.Tag,
			NumberMasked: a.NumberMasked, AccountBalance: e.amount(a.Balance.TenThousandths),
			AvailableBalance: e.amount(a.AvailableBalance.TenThousandths),
			PendingBalance:   e.amount(a.PendingBalance.TenThousandths),
		})
		if err != nil {
			return 0, err
		}
	}
	return last, nil
}

// access writes the access of a page of the customers after an id.
func (e *exporting) access(ctx context.Context, after int) (last int, err error) {
	var accesses []customer.Access
	err = e.kept.View(ctx, func(r store.Tx) error {
		ids, err := e.customerIDs(r, after)
		if err != nil || len(ids) == 0 {
			last = 0
			return err
		}
		last = ids[len(ids)-1]
		accesses, err = r.Access().List(ids)
		return err
	})
	if err != nil {
		return 0, err
	}
	slices.SortFunc(accesses, func(a, b customer.Access) int {
		return cmp.Or(a.CustomerID-b.CustomerID, a.AccountID-b.AccountID)
	})
	e.accessRows += len(accesses)
	for _, a := range accesses {
		err := e.to.Encode(accessLine{
			start: start{"access", "put"}, CustomerID: a.CustomerID, AccountID: a.AccountID,
			Access: string(a.Type),
		})
		if err != nil {
			return 0, err
		}
	}
	return last, nil
}
