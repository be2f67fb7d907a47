package load

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"mintmark/internal/testkit/golden"
)

// TestGoldenReference compares docs/load.md with its source.
func TestGoldenReference(t *testing.T) {
	t.Parallel()
	golden.Compare(t, "../../../docs/load.md", reference())
}

// TestEveryMemberIsExplained checks that every member of the file has an explanation, and every
// explanation a member.
func TestEveryMemberIsExplained(t *testing.T) {
	t.Parallel()
	kinds := append(mappings(), reflect.TypeFor[entries]())
	for _, finding := range unexplained(kinds) {
		t.Error(finding)
	}
	explained := 0
	for _, kind := range kinds {
		explained += len(forms[kind].members)
	}
	if len(kinds) != len(forms) || explained < 100 {
		t.Errorf("%d mappings of %d are looked at, with %d members",
			len(kinds), len(forms), explained)
	}
}

// unexplained lists the members without an explanation, the explanations without a member, and the
// mappings without a title.
func unexplained(kinds []reflect.Type) []string {
	var findings []string
	for _, kind := range kinds {
		told := forms[kind]
		if told.title == "" {
			findings = append(findings, kind.String()+" has no row in forms")
		}
		members := make(map[string]bool)
		for _, m := range membersOf(kind) {
			members[m.name] = true
			if !strings.HasSuffix(told.members[m.name], ".") {
				findings = append(findings,
					kind.String()+": no sentence says what "+m.name+" means")
			}
		}
		for name := range told.members {
			if !members[name] {
				findings = append(findings,
					kind.String()+": "+name+" is explained and does not exist")
			}
		}
	}
	return findings
}

// TestRulesHaveMembers checks that every rule, and every other statement of a form about a member,
// names a member of the file. A misspelt name would leave a member without its rule.
func TestRulesHaveMembers(t *testing.T) {
	t.Parallel()
	ruled := 0
	for kind, form := range forms {
		members := fieldsOf(kind)
		names := slices.Concat(slices.Collect(maps.Keys(form.rules)), form.filled, form.nested,
			form.hidden)
		for _, name := range names {
			if _, known := members[name]; !known {
				t.Errorf("%s has no member %s", kind, name)
			}
		}
		ruled += len(form.rules)
	}
	if ruled < 100 {
		t.Errorf("only %d members have rules", ruled)
	}
}

// TestUnexplainedIsFound checks that a new member, or a new mapping, without an explanation is
// detected.
func TestUnexplainedIsFound(t *testing.T) {
	t.Parallel()
	type fresh struct {
		State string `json:"state"`
		bankEntry
	}
	names := strings.Join(unexplained([]reflect.Type{reflect.TypeFor[fresh]()}), "\n")
	for _, want := range []string{
		"load.fresh has no row", "what state means", "what bankId means",
	} {
		if !strings.Contains(names, want) {
			t.Errorf("%q is not found: %s", want, names)
		}
	}
}

// TestRulesAreTold checks one member for each kind of rule.
func TestRulesAreTold(t *testing.T) {
	t.Parallel()
	page := string(reference())
	for _, want := range []string{
		"| **`bankId`** | identifier |",
		"| **`status`** | whole number from 1 to 3 |",
		"| **`vendorTypeCode`** | text, one of VS, MC |",
		"| **`allow`** | list of text, 1 to 1000 entries, each an address or a CIDR block |",
		"| **`name`** | text of 50, without a card number, without \":\" |",
		"| **`birthDate`** | date-time, a date without a time, such as 1985-03-14 |",
		"| **`accountNumber`** | text, 4 to 17 digits and nothing else |",
		"| `validAccountTypes` | list of text, one of Checking, Savings, ForBenefitOf, none " +
			"twice |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// TestExampleIsComplete loads the small example file of the page, as production would.
func TestExampleIsComplete(t *testing.T) {
	b := newBench(t)
	data, err := Read(fstest.MapFS{"example.yaml": {Data: []byte(Example)}}, "example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	report, err := data.Load(t.Context(), b, Options{Vault: b.vault})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Notes) > 0 {
		t.Errorf("there is something to note: %q", report.Notes)
	}
}

// reference prints the page docs/load.md: every member that a file may have.
func reference() []byte {
	var page bytes.Buffer
	page.WriteString(referenceHead)
	fmt.Fprintf(&page, "\n```yaml\n%s```\n", Example)
	file := reflect.TypeFor[entries]()
	page.WriteString("\n## The lists of a file\n\n| List | Holds |\n|---|---|\n")
	for _, m := range membersOf(file) {
		fmt.Fprintf(&page, "| %s | %s |\n", linked(m.kind.Elem(), m.name),
			forms[file].members[m.name])
	}
	for _, kind := range mappings() {
		printMapping(&page, kind)
	}
	return page.Bytes()
}

const referenceHead = `# The file that mintmark load reads

Every member of the file, printed from the types in ` + "`internal/importer/load`" + ` by ` +
	"`make docs`" + `.
[data.md](data.md#the-banks-file) says how to load it and what happens to an entry that is stored
already; [demo.yaml](../internal/app/demo/demo.yaml) has every setting of a program.

A file is YAML, one document of at most 64 MB. Its lists may come in any order, and each is
optional. An entry may refer to entries of the same file and to stored ones.

- An identifier is a whole number from 1 to 2147483647. A date-time is ISO 8601; without an offset it is UTC.
- Quote a text that looks like a number or a date.
- An amount has at most decimalCount digits after the decimal point.
- A new entry must have the members in bold; for others, the meaning says what applies without them.
- "Text of 50" has at most 50 characters.

A small complete file:
`

// mappings returns the types of mapping in a file, each after the first one that has it as a
// member.
func mappings() []reflect.Type {
	var all []reflect.Type
	var visit func(reflect.Type)
	visit = func(kind reflect.Type) {
		if kind.Kind() == reflect.Slice {
			kind = kind.Elem()
		}
		if !isMapping(kind) || slices.Contains(all, kind) {
			return
		}
		all = append(all, kind)
		for _, m := range membersOf(kind) {
			visit(m.kind)
		}
	}
	for _, m := range membersOf(reflect.TypeFor[entries]()) {
		visit(m.kind)
	}
	return all
}

func printMapping(page *bytes.Buffer, kind reflect.Type) {
	told := forms[kind]
	fmt.Fprintf(page, "\n## %s\n\n", told.title)
	if told.says != "" {
		fmt.Fprintf(page, "%s\n\n", told.says)
	}
	page.WriteString("| Member | Value | Meaning |\n|---|---|---|\n")
	for _, m := range membersOf(kind) {
		name := "`" + m.name + "`"
		if m.need {
			name = "**" + name + "**"
		}
		fmt.Fprintf(page, "| %s | %s | %s |\n", name, m.value(), told.members[m.name])
	}
}
