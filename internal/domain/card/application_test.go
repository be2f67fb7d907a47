package card

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/fault"
)

// application returns a valid application.
func application() Application {
	return Application{
		TypeCode: "dbt", VendorTypeCode: "vs", FirstName: "Ann", MiddleName: "B.",
		LastName: "O'Hara-Lee", NickName: "Nick", Tag: "tag",
		Attributes: Attributes{QualifierCode: "a1Z"},
	}
}

func TestApplicationCheck(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Application)
		want   []int
	}{
		"nothing wrong":      {func(*Application) {}, nil},
		"no type means DBT":  {func(a *Application) { a.TypeCode = "" }, nil},
		"no middle name":     {func(a *Application) { a.MiddleName = "" }, nil},
		"no tag":             {func(a *Application) { a.Tag = "" }, nil},
		"no qualifier":       {func(a *Application) { a.QualifierCode = "" }, nil},
		"no first name":      {func(a *Application) { a.FirstName = "" }, []int{150213}},
		"no last name":       {func(a *Application) { a.LastName = "" }, []int{150213}},
		"digit, first name":  {func(a *Application) { a.FirstName = "Ann2" }, []int{150240}},
		"digit, middle name": {func(a *Application) { a.MiddleName = "B2C" }, []int{150241}},
		"space in last name": {func(a *Application) { a.LastName = "de Vries" }, []int{150242}},
		"space in the others": {func(a *Application) {
			a.FirstName, a.MiddleName = "Ann Mary", "van der"
		}, nil},
		"every sign allowed": {func(a *Application) {
			a.FirstName, a.MiddleName, a.LastName = "A-'.,& b", "-'.,& ", "Z-'.,&"
		}, nil},
		"accent": {func(a *Application) { a.LastName = "Müller" }, []int{150242}},
		"no letter is printed": {func(a *Application) {
			a.FirstName, a.MiddleName, a.LastName = "--", "", "."
		}, []int{150203}},
		"letter behind the 22nd": {func(a *Application) {
			a.FirstName, a.MiddleName, a.LastName = strings.Repeat("-", 21), "", "Lee"
		}, []int{150203}},
		"letter as the 22nd": {func(a *Application) {
			a.FirstName, a.MiddleName, a.LastName = strings.Repeat("-", 20), "", "Lee"
		}, nil},
		"names at fault hide 150203": {func(a *Application) {
			a.FirstName, a.LastName = "7", "-"
			a.MiddleName = ""
		}, []int{150240}},
		"no vendor":      {func(a *Application) { a.VendorTypeCode = "" }, []int{150202}},
		"unknown vendor": {func(a *Application) { a.VendorTypeCode = "AX" }, []int{150202}},
		"unknown type":   {func(a *Application) { a.TypeCode = "PRE" }, []int{150201}},
		"no nickname":    {func(a *Application) { a.NickName = "" }, []int{59956}},
		"qualifier of 4": {func(a *Application) { a.QualifierCode = "ABCD" }, []int{59956}},
		"qualifier sign": {func(a *Application) { a.QualifierCode = "A-1" }, []int{59956}},
		// The upper case of this letter is an S, but it is not alphanumeric for a processor.
		"qualifier beyond ASCII": {func(a *Application) { a.QualifierCode = "ſ" }, []int{59956}},
	} {
		t.Run(name, func(t *testing.T) {
			a := application()
			test.change(&a)
			wantCodes(t, a.Check(), test.want...)
		})
	}
}

// TestApplicationReportsEverything checks the order of the faults, and that a property causes only
// one: names that are both unprintable and too long are not reported twice.
func TestApplicationReportsEverything(t *testing.T) {
	long := strings.Repeat("é", 200)
	err := Application{
		TypeCode: "X", VendorTypeCode: "Y", MiddleName: long, LastName: long, Tag: long,
		Attributes: Attributes{QualifierCode: "????"},
	}.Check()
	wantTexts(t, err, []string{
		"150213: Both FirstName and LastName are required.",
		"150241: MiddleName (" + long + ") must contain only characters A-Z, hyphen, " +
			"apostrophe, period, comma, ampersand, or space.",
		"150242: LastName (" + long + ") must contain only characters A-Z, hyphen, " +
			"apostrophe, period, comma, or ampersand.",
		"150202: VendorTypeCode Y is not valid. Must be VS or MC.",
		"150201: TypeCode X is not valid. Must be DBT or CDT.",
		"59956: Value for property 'nickName' is not acceptable. Specifics: A value is required.",
		"59956: Value for property 'tag' is not acceptable. " +
			"Specifics: At most 50 characters are allowed.",
		"59956: Value for property 'qualifierCode' is not acceptable. " +
			"Specifics: At most 3 alphanumeric characters are allowed.",
	})
}

// wantTexts compares the faults with codes and messages.
func wantTexts(t *testing.T, err error, want []string) {
	t.Helper()
	var got []string
	for _, f := range fault.All(err) {
		got = append(got, f.Error())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// TestLengths tries each string at its maximum length and one character beyond.
func TestLengths(t *testing.T) {
	for property, test := range map[string]struct {
		limit  string
		length int
		set    func(*Application, string)
		letter string
	}{
		"firstName":  {"64", 64, func(a *Application, s string) { a.FirstName = s }, "N"},
		"middleName": {"64", 64, func(a *Application, s string) { a.MiddleName = s }, "N"},
		"lastName":   {"128", 128, func(a *Application, s string) { a.LastName = s }, "N"},
		// A character outside ASCII counts as one, however many bytes it has.
		"nickName": {"50", 50, func(a *Application, s string) { a.NickName = s }, "€"},
		"tag":      {"50", 50, func(a *Application, s string) { a.Tag = s }, "😀"},
	} {
		a := application()
		test.set(&a, strings.Repeat(test.letter, test.length))
		if err := a.Check(); err != nil {
			t.Errorf("%s of %d characters: %v", property, test.length, err)
		}
		test.set(&a, strings.Repeat(test.letter, test.length+1))
		wantTexts(t, a.Check(), []string{"59956: Value for property '" + property +
			"' is not acceptable. Specifics: At most " + test.limit + " characters are allowed."})
	}
}

func TestApplicationSpellsCodes(t *testing.T) {
	a := application()
	if a.Type() != "DBT" || a.Vendor() != "VS" {
		t.Errorf("type %q, vendor %q", a.Type(), a.Vendor())
	}
	a.TypeCode, a.VendorTypeCode = "", "mC"
	if a.Type() != "DBT" || a.Vendor() != "MC" {
		t.Errorf("type %q, vendor %q", a.Type(), a.Vendor())
	}
	a.TypeCode = "cdt"
	if a.Type() != "CDT" {
		t.Errorf("type %q", a.Type())
	}
}
