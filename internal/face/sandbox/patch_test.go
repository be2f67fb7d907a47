package sandbox

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mintmark/client/admin"
	wire "mintmark/client/sandbox"
)

// before is a customer before a patch.
var before = wire.Customer{
	ID: 1001, Revision: 3, ProgramID: 1, Status: "Verified", Access: "FULL", FirstName: "Jane",
	LastName: "Sample", MobilePhone: "12345", HomePhone: "67890", IsActive: true,
	Mailing: &admin.Address{
		Line1: "1 Street", Line2: "2", City: "Rye", PostalCode: "1", Country: "US",
	},
	DeceasedDate: "2026-01-01", BirthDate: "1980-01-01",
}

// steps has members of a patch, with their effects on the customer.
var steps = []struct {
	name, value string
	do          func(*wire.Customer)
}{
	{"id", "1001", func(*wire.Customer) {}},
	{"customerId", "1001", func(*wire.Customer) {}},
	{"status", `"Denied"`, func(c *wire.Customer) { c.Status = "Denied" }},
	{"accessType", `"CARD"`, func(c *wire.Customer) { c.Access = "CARD" }},
	{"firstName", `"é\u0020x"`, func(c *wire.Customer) { c.FirstName = "é x" }},
	{"mobilePhone", "null", func(c *wire.Customer) { c.MobilePhone = "" }},
	{"isActive", "false", func(c *wire.Customer) { c.IsActive = false }},
	{"isLocked", "true", func(c *wire.Customer) { c.IsLocked = true }},
	{"deceasedDate", "null", func(c *wire.Customer) { c.DeceasedDate = "" }},
	{"mailing", `{"line2":null,"region":"NY"}`, func(c *wire.Customer) {
		changed := *c.Mailing
		changed.Line2, changed.Region = "", "NY"
		c.Mailing = &changed
	}},
	{"residence", `{"line1":"a"}`, func(c *wire.Customer) {
		c.Residence = &admin.Address{Line1: "a"}
	}},
	{"birthDate", `"1981-01-01"`, func(c *wire.Customer) { c.BirthDate = "1981-01-01" }},
}

// TestPatched builds patches of members in any order: each has its effect, and nothing else
// changes.
func TestPatched(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want, patch := before, "{"
		chosen := rapid.Permutation(steps).Draw(t, "order")
		chosen = chosen[:rapid.IntRange(0, len(chosen)).Draw(t, "length")]
		seen := map[string]bool{}
		for _, step := range chosen {
			if seen["id"] && step.name == "customerId" || seen["customerId"] && step.name == "id" {
				continue // two names of the same member
			}
			seen[step.name] = true
			if len(patch) > 1 {
				patch += ","
			}
			patch += `"` + step.name + `":` + step.value
			step.do(&want)
		}
		got, err := patched(ofCustomers, []byte(patch+"}"), before)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("%s: %v (-want +got):\n%s", patch, err, diff)
		}
	})
}

// TestPatchedTakesAnything checks that no body makes a patch panic, and that a refused body changes
// nothing.
func TestPatchedTakesAnything(t *testing.T) {
	t.Parallel()
	values := []string{
		"null", "true", "0", "-1.5", "1e9", `""`, `"2026-01-01"`, "[]", "[null]", "{}",
		`{"line1":7}`, `{"line1":null}`, `{"x":1}`,
	}
	rapid.Check(t, func(t *rapid.T) {
		patch := make(map[string]json.RawMessage)
		for _, step := range steps {
			if rapid.Bool().Draw(t, step.name) {
				patch[step.name] = json.RawMessage(rapid.SampledFrom(values).Draw(t, "value"))
			}
		}
		text, err := json.Marshal(patch)
		if err != nil {
			t.Fatal(err)
		}
		got, err := patched(ofCustomers, text, before)
		if err != nil && !cmp.Equal(got, before) {
			t.Fatalf("%s: %v, and %+v", text, err, got)
		}
		if err == nil && (got.ID != before.ID || got.Revision != before.Revision) {
			t.Fatalf("%s: %+v", text, got)
		}
	})
}
