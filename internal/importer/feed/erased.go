package feed

import (
	"fmt"
	"slices"
	"strconv"

	"mintmark/internal/domain/customer"
	"mintmark/internal/importer/entity"
)

// A core banking system may send the rows of an erased customer each night. The file must not fail
// each night, and must not bring the person back. So what such a row says of the person is left out
// and counted; an operator who wants it back accepts entity.CustomerErased for one file.

// leaveErased leaves a customer who was erased as it is stored, where a row would make it a person
// again. A row that changes something else of it is taken.
func (p *pass) leaveErased(at row, before customer.Customer, after *customer.Customer) {
	if !customer.Restores(before, *after) || p.restores() {
		return
	}
	*after = before
	p.leftOut(at, at.customerID)
}

// leaveTexts leaves the texts of an account as they are stored, where its customer was erased, and
// reports whether it was. The rest of the row is taken: the books go on.
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

// leftOut counts a row of which something is left out, and tells it in a dry run.
func (p *pass) leftOut(at row, id int) {
	p.out.erased++
	p.tell(Change{List: at.list, Name: strconv.Itoa(id), To: "erased here, left out"})
}

// short tells the counts in a line, for the audit.
func (r *Report) short() string {
	text := r.Counts.Short(Lists)
	if r.Erased > 0 {
		text += fmt.Sprintf(", %d of erased customers left out", r.Erased)
	}
	return text
}
