package sqlstore

import (
	"encoding/json"
	"testing"

	"mintmark/internal/customer"
)

// TestAddressColumn reads addresses as the general reader does, also over what was there before.
func TestAddressColumn(t *testing.T) {
	t.Parallel()
	for _, address := range []customer.Address{
		{},
		{Line1: "1 High Street", City: "Ž", Country: "US"},
		{Line1: `"quoted" \ <b>`, Line2: "Flat 2", City: "{", Region: ":", PostalCode: ",",
			Country: "}"},
		{Line1: "a\x00\xff", City: ",", PostalCode: "{}"},
	} {
		text, err := jsonText(address)
		if err != nil {
			t.Fatal(err)
		}
		var want customer.Address
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		got := customer.Address{Line2: "before", Region: "before"}
		if err := (addressColumn{&got}).Scan(text); err != nil || got != want {
			t.Errorf("%s is read as %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		``, `{`, `{}`, `{"line1"}`, `{"line1":"a"`, `{"line1":"a""city":"b"}`, `{"line1":1}`,
		`{ "line1" : "a" }`, `{"other":"a"}`, `null`, `{"line1":"a","city":"b",}`, `{"line1":"a"},`,
	} {
		var got, want customer.Address
		wrong := json.Unmarshal([]byte(text), &want)
		if err := (addressColumn{&got}).Scan(text); (err == nil) != (wrong == nil) || got != want {
			t.Errorf("%q is read as %+v, %v, and not as %+v, %v", text, got, err, want, wrong)
		}
	}
}
