package card

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/fault"
)

// The customers of the tests: the creator and the holder of a card, and one unrelated to it.
const (
	creator  = 1
	holder   = 2
	stranger = 3
)

var noon = time.Date(2026, time.March, 14, 12, 0, 0, 0, time.UTC)

// full returns a customer who may change the accounts of a card.
func full(id int) customer.Standing {
	return customer.Standing{ID: id, AccessType: customer.Full}
}

// order returns the properties of an ordinary card of the creator.
func order() Issuance {
	return Issuance{
		Application: Application{
			TypeCode: "DBT", VendorTypeCode: "VS", FirstName: "Ann", LastName: "Lee",
			NickName: "Nick", Tag: "tag", PrimaryAccountID: 11,
			Attributes: Attributes{QualifierCode: "A1"},
		},
		ProgramID: 1, CustomerID: creator, HolderID: holder, BinID: 1, ValidMonths: 48,
		Category: customer.Checking,
	}
}

// codes returns the codes of the faults in err.
func codes(err error) []int {
	var ids []int
	for _, f := range fault.All(err) {
		ids = append(ids, f.Code())
	}
	return ids
}

// wantCodes compares the faults of an act with the expected codes; none means success.
func wantCodes(t *testing.T, err error, want ...int) {
	t.Helper()
	if diff := cmp.Diff(want, codes(err)); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}
