package console

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/admin"
)

// frame is the part that all pages share: the position in the console, the operator and the
// navigation.
type frame struct {
	Title    string  // of the page; also its h1 unless the template has its own
	Crumbs   []crumb // after environment, bank and program; the last is this page
	Commands []string
	Problem  *wire.Problem // of a form that was sent; nil without one
	WasSent  bool          // the problem is that the form was sent before with other entries
	Sent     string        // address of what it created then; empty if unknown
	Typed    url.Values    // values of a form that was sent and is shown again
	Data     any           // of the page
	Refused  bool          // the page shows a problem instead of its content
	Unsorted string        // why the list is not sorted as requested
	Told     string        // why the page is shown again

	Me       operator.Identity
	About    About
	Style    string // path of the stylesheet
	Scripts  []asset
	Program  *admin.ProgramName
	Bank     *wire.Bank
	Programs []admin.ProgramName
	Banks    []wire.Bank
	Zone     *time.Location
	Now      time.Time
	waiting  []wire.Approval
	others   []operator.Identity // operators who may approve
	fourEyes bool                // acts outside any program need a second operator
	counts   map[string]navCount // by section of the navigation
	section  string
	object   string // path in the interface of the object of the page; empty for none
	address  *url.URL
	leftOut  map[string]string // labels of form fields that were left out, by name

	isOpen    bool // openFrame has run
	programID int  // of Program, or of the form that was sent; 0 for none
	newest    int  // ID of the newest entry on the page; 0 on a page without entries
}

// crumb is a link in the path to a page.
type crumb struct {
	Text string
	To   string // empty for the page itself
}

// beginFrame creates the frame of a page and reads its contents. A form whose row leaves the page,
// and that names its program, needs no contents.
func (v *visit) beginFrame(ctx context.Context) error {
	c := v.console
	v.frame = &frame{
		About: c.About, Style: style.Path, Scripts: c.scripts, Now: c.Clock.Now(), Zone: time.UTC,
		section: v.row.section, address: v.exchange.Request.URL, Typed: url.Values{},
		Me: v.who, leftOut: map[string]string{},
	}
	programID, err := strconv.Atoi(v.query.Get("programId"))
	if err == nil && v.row.leaves {
		v.programID = programID
		return nil
	}
	return v.openFrame(ctx)
}

// openFrame reads the contents of the frame, unless that has happened already. The program is the
// one in the address, or the first.
func (v *visit) openFrame(ctx context.Context) error {
	if v.isOpen {
		return nil
	}
	names, err := v.console.Desk.Frame(ctx, v.who)
	if err != nil {
		return refusalOf(err)
	}
	v.isOpen, v.Banks, v.Programs, v.waiting = true, names.Banks, names.Programs, names.Waiting
	v.others, v.fourEyes = names.Others, names.FourEyes
	programID, err := strconv.Atoi(v.query.Get("programId"))
	if err != nil && v.query.Get("programId") == "" && len(v.Programs) > 0 {
		programID = v.Programs[0].ID
	}
	v.choose(programID)
	v.count(names)
	return nil
}

// checkProgram returns an error if the program in the address does not exist or is out of scope.
// Without it, the page would show all programs.
func (v *visit) checkProgram() error {
	text := v.query.Get("programId")
	if v.isOpen && v.Program == nil && text != "" && text != allPrograms {
		return notFound()
	}
	return nil
}

// allPrograms in the address requests a list of all programs in scope.
const allPrograms = "0"

// AllPrograms reports whether the page is a list of all programs in scope.
func (f *frame) AllPrograms() bool { return f.Asked("programId") == allPrograms }

// choose sets the program of the page. If the operator may not see it, the page has none.
func (v *visit) choose(programID int) {
	v.programID, v.Program, v.Bank = 0, nil, nil
	for i := range v.Programs {
		if v.Programs[i].ID == programID {
			v.programID, v.Program = programID, &v.Programs[i]
		}
	}
	if v.Program == nil {
		v.Zone = v.commonZone()
		return
	}
	v.Zone = zoneOf(v.Program.TimeZone)
	for i := range v.Banks {
		if v.Banks[i].ID == v.Program.BankID {
			v.Bank = &v.Banks[i]
		}
	}
}

// commonZone returns the zone of a page about all programs in scope: theirs if they share one, else
// UTC.
func (f *frame) commonZone() *time.Location {
	if len(f.Programs) == 0 {
		return time.UTC
	}
	name := f.Programs[0].TimeZone
	for _, p := range f.Programs {
		if p.TimeZone != name {
			return time.UTC
		}
	}
	return zoneOf(name)
}

// zoneOf returns the zone with a name, UTC if it is not known.
func zoneOf(name string) *time.Location {
	if zone, err := time.LoadLocation(name); err == nil {
		return zone
	}
	return time.UTC
}

// Environment returns the name of the environment.
func (f *frame) Environment() string {
	if f.About.Sandbox {
		return "Sandbox"
	}
	return "Production"
}

// To returns the address of a page of the console, for the program of this one. Names in the path
// must be escaped. Pairs are further query parameters; a pair with an empty value is left out.
func (f *frame) To(path string, pairs ...string) string {
	query := url.Values{}
	if f.programID != 0 {
		query.Set("programId", strconv.Itoa(f.programID))
	}
	address := addressOf(Prefix + path)
	address.RawQuery = withPairs(query, pairs)
	return address.String()
}

// withPairs sets the query parameters in pairs of name and value, and encodes the query.
func withPairs(query url.Values, pairs []string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			query.Del(pairs[i])
			continue
		}
		query.Set(pairs[i], pairs[i+1])
	}
	return query.Encode()
}

// addressOf returns the address of a path whose names are escaped.
func addressOf(path string) *url.URL {
	plain, err := url.PathUnescape(path)
	if err != nil {
		return &url.URL{Path: path}
	}
	return &url.URL{Path: plain, RawPath: path}
}

// Named returns the path of something with a name, such as a key, and escapes the name.
func (f *frame) Named(above, name string) string { return above + url.PathEscape(name) }

// Here returns the address of this page with other query parameters: a filter, a tab, a cursor.
func (f *frame) Here(pairs ...string) string {
	address := &url.URL{
		Path: f.address.Path, RawPath: f.address.RawPath,
		RawQuery: withPairs(f.address.Query(), pairs),
	}
	return address.String()
}

// Asked returns a query parameter of this page.
func (f *frame) Asked(name string) string { return f.address.Query().Get(name) }

// Searched returns the text in the search field at the top of the page.
func (f *frame) Searched() string {
	if f.address.Path != Prefix+"search" {
		return ""
	}
	return f.Asked("q")
}

// Field returns what was typed into a field of a form that was sent, or else the given text.
func (f *frame) Field(name, otherwise string) string {
	if _, ok := f.leftOut[name]; ok || f.Problem == nil && len(f.Typed) == 0 {
		return otherwise
	}
	return f.Typed.Get(name)
}

// Hidden returns the value of a hidden field that records what the operator saw: now, or the
// submitted value in a form that was sent after the session had ended.
func (f *frame) Hidden(name string, now any) any {
	if f.Problem == nil && f.Typed.Has(name) {
		return f.Typed.Get(name)
	}
	return now
}

// Wrong returns the problem of a field, empty if it has none.
func (f *frame) Wrong(name string) string {
	if f.Problem == nil {
		return ""
	}
	for _, e := range f.Problem.Errors {
		if e.Pointer == "/"+name || strings.HasPrefix(e.Pointer, "/"+name+"/") {
			return e.Detail
		}
	}
	return ""
}

// May reports whether the operator has one of the roles. Administrators have all roles.
func (f *frame) May(roles ...string) bool {
	return slices.ContainsFunc(f.Me.Roles, func(role operator.Role) bool {
		return role == operator.Administrator || slices.Contains(roles, string(role))
	})
}

// crumbs sets the title of a page and the path to it. Pairs are text and path of the pages above.
func (f *frame) crumbs(title string, pairs ...string) {
	f.Title, f.Crumbs = title, nil
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Crumbs = append(f.Crumbs, crumb{Text: pairs[i], To: f.To(pairs[i+1])})
	}
	f.Crumbs = append(f.Crumbs, crumb{Text: title})
}

// command adds a line to the section "As a command".
func (f *frame) command(words ...string) {
	f.Commands = append(f.Commands, strings.TrimSpace("mintmark "+strings.Join(words, " ")))
}
