package feed

import (
	"fmt"
	"slices"
	"strconv"

	"mintmark/internal/domain/customer"
	"mintmark/internal/importer/entity"
)

// A core banking system may send the rows of an erased customer every night. Such a file must
// neither fail every night nor restore the personal data. So the import leaves the personal data of
// such a row out and counts the row; an operator who wants the data back accepts
// entity.CustomerErased for one file.

// leaveErased keeps an erased customer as stored if the row would restore personal data. It takes
// rows that change anything else.
func (p *pass) leaveErased(at row, before customer.Customer, after *customer.Customer) {
	if !customer.RestoresErased(before, *after) || p.restores() {
		return
	}
	*after = before
	p.leftOut(at, at.customerID)
}

// leaveTexts keeps the texts of an account as stored if its customer was erased, and reports
// whether the customer was. The rest of the row is taken: bookkeeping goes on.
func (p *pass) leaveTexts(at row, before customer.Account, after *customer.Account) bool {
	owner, read := p.customers[after.CustomerID]
	gone := read && owner.IsErased() || !read && before.IsErased()
	if !gone {
		return false
	}
	if p.restores() || after.Name == before.Name && after.Tag == before.Tag {
		return true
	}
	after.Name, after.Tag = before.Name, before.Tag
	p.leftOut(at, at.accountID)
	return true
}

func (p *pass) restores() bool { return slices.Contains(p.options.Accept, entity.CustomerErased) }

// leftOut counts a row of which something is left out, and reports it in a dry run.
func (p *pass) leftOut(at row, id int) {
	p.out.erased++
	p.tell(Change{List: at.list, Name: strconv.Itoa(id), To: "erased here, left out"})
}

// short returns the counts in one line, for the audit.
func (r *Report) short() string {
	text := r.Counts.Short(Lists)
	if r.Erased > 0 {
		text += fmt.Sprintf(", %d of erased customers left out", r.Erased)
	}
	return text
}
