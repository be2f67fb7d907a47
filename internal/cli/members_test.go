package cli

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mintmark/client/admin"
)

// TestMembers compares the members listed in the help with those that the operators' interface
// accepts.
func TestMembers(t *testing.T) {
	for _, c := range []struct {
		noun  string
		taken any
	}{
		{"customer", admin.NewCustomer{}},
		{"account", admin.NewAccount{}},
		{"product", admin.Product{}},
		{"program-account", admin.ProgramAccount{}},
		{"external-account", admin.ExternalAccount{}},
	} {
		var listed, taken []string
		for _, m := range membersOfFile[c.noun].all() {
			name, _, _ := strings.Cut(m.Name, ".")
			listed = append(listed, name)
		}
		for _, field := range reflect.VisibleFields(reflect.TypeOf(c.taken)) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if !slices.Contains([]string{"revision", "reason", "accountNumberMasked"}, name) {
				taken = append(taken, name)
			}
		}
		slices.Sort(listed)
		slices.Sort(taken)
		if listed = slices.Compact(listed); !slices.Equal(listed, taken) {
			t.Errorf("%T: listed %q, taken %q", c.taken, listed, taken)
		}
	}
}

// TestWhyIsWhole checks that the reason of a declined authorization is printed in full, and other
// strings are cut.
func TestWhyIsWhole(t *testing.T) {
	why := "Declined: the amount was in USD, the program's currency was " + strings.Repeat("E", 9)
	item := json.RawMessage(`{"why":"` + why + `","name":"` + strings.Repeat("n", 61) + `"}`)
	var printed strings.Builder
	err := printTable(&printed, []string{"why", "name"}, []json.RawMessage{item})
	text := printed.String()
	if err != nil || !strings.Contains(text, why) || !strings.Contains(text, "n…") {
		t.Errorf("%v: %s", err, text)
	}
}
