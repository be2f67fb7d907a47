package console

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/operator"
)

// frame is what every page shows around its own: where one is, who one is, where one can go.
type frame struct {
	Title    string  // of the page, and its h1 unless the template has its own
	Crumbs   []crumb // below environment, bank and program; the last is this page
	Commands []string
	Problem  *wire.Problem // of the form that was sent, nil without one
	Typed    url.Values    // what was sent with it
	Data     any           // of the page

	Me       wire.Me
	About    About
	Style    string // path of the style sheet
	Script   string // path of the script, empty for a page without one
	Program  *wire.Program
	Bank     *wire.Bank
	Programs []wire.Program
	Banks    []wire.Bank
	Zone     *time.Location
	Now      time.Time
	Waiting  int // approvals
	section  string
	address  *url.URL
	seen     int // the newest act that the page shows; 0 on a page without acts
}

// crumb is a step on the way to a page.
type crumb struct {
	Text string
	To   string // empty for the page itself
}

// openFrame finds what every page shows. The program is the one of the address, or the first.
func (v *visit) openFrame(ctx context.Context) error {
	c := v.console
	v.frame = &frame{
		About: c.About, Style: stylePath, Now: c.Clock.Now(), Zone: time.UTC,
		section: v.row.section, address: v.exchange.Request.URL, Typed: url.Values{},
	}
	var err error
	v.Me, err = wire.Get[wire.Me](ctx, v.api, "me")
	if err != nil {
		return err
	}
	v.Banks, err = all[wire.Bank](ctx, v, "banks", nil)
	if err != nil {
		return err
	}
	v.Programs, err = all[wire.Program](ctx, v, "programs", nil)
	if err != nil {
		return err
	}
	waiting, err := wire.Page[wire.Approval](ctx, v.api, "approvals",
		url.Values{"state": {"waiting"}, "limit": {"200"}})
	if err != nil {
		return err
	}
	v.Waiting = len(waiting.Items)
	asked, err := strconv.Atoi(v.query.Get("programId"))
	if err != nil && len(v.Programs) > 0 {
		asked = v.Programs[0].ID
	}
	v.choose(asked)
	return nil
}

// choose makes a program the one that the page is about. A program that the operator may not see
// leaves the page without one.
func (f *frame) choose(programID int) {
	f.Program, f.Bank, f.Zone = nil, nil, time.UTC
	at := slices.IndexFunc(f.Programs, func(p wire.Program) bool { return p.ID == programID })
	if at < 0 {
		return
	}
	f.Program = &f.Programs[at]
	var zone string
	if err := json.Unmarshal(f.Program.Settings["timeZone"], &zone); err == nil {
		if known, err := time.LoadLocation(zone); err == nil {
			f.Zone = known
		}
	}
	at = slices.IndexFunc(f.Banks, func(b wire.Bank) bool { return b.ID == f.Program.BankID })
	if at >= 0 {
		f.Bank = &f.Banks[at]
	}
}

// Environment names it for people.
func (f *frame) Environment() string {
	if f.About.Sandbox {
		return "Sandbox"
	}
	return "Production"
}

// To is the address of a page of the console, in the program of this one. A name in the path is
// escaped. Pairs are further members of the query; one with an empty value is left out.
func (f *frame) To(path string, pairs ...string) string {
	query := url.Values{}
	if f.Program != nil {
		query.Set("programId", strconv.Itoa(f.Program.ID))
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			query.Del(pairs[i])
			continue
		}
		query.Set(pairs[i], pairs[i+1])
	}
	address := addressOf(Prefix + path)
	address.RawQuery = query.Encode()
	return address.String()
}

// addressOf is the address of a path whose names are escaped.
func addressOf(path string) *url.URL {
	plain, err := url.PathUnescape(path)
	if err != nil {
		return &url.URL{Path: path}
	}
	return &url.URL{Path: plain, RawPath: path}
}

// Named is the path of something with a name, such as a key: what stands in the name is escaped.
func (f *frame) Named(above, name string) string { return above + url.PathEscape(name) }

// Here is the address of this page with other members of the query: a filter, a tab, a cursor.
func (f *frame) Here(pairs ...string) string {
	query := f.address.Query()
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			query.Del(pairs[i])
			continue
		}
		query.Set(pairs[i], pairs[i+1])
	}
	address := &url.URL{
		Path: f.address.Path, RawPath: f.address.RawPath, RawQuery: query.Encode(),
	}
	return address.String()
}

// Asked is a member of the query of this page.
func (f *frame) Asked(name string) string { return f.address.Query().Get(name) }

// Field is what was typed into a field of a form that was refused, otherwise the given text.
func (f *frame) Field(name, otherwise string) string {
	if f.Problem == nil {
		return otherwise
	}
	return f.Typed.Get(name)
}

// Wrong is what the refusal says of a field; empty where it says nothing.
func (f *frame) Wrong(name string) string {
	if f.Problem == nil {
		return ""
	}
	for _, one := range f.Problem.Errors {
		if one.Pointer == "/"+name || strings.HasPrefix(one.Pointer, "/"+name+"/") {
			return one.Detail
		}
	}
	return ""
}

// May reports whether the operator has one of the roles. Administrators have all.
func (f *frame) May(roles ...string) bool {
	return slices.ContainsFunc(f.Me.Roles, func(role string) bool {
		return role == string(operator.Administrator) || slices.Contains(roles, role)
	})
}

// crumbs sets title and way of a page. Pairs are text and path of the pages above it.
func (f *frame) crumbs(title string, pairs ...string) {
	f.Title, f.Crumbs = title, nil
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Crumbs = append(f.Crumbs, crumb{Text: pairs[i], To: f.To(pairs[i+1])})
	}
	f.Crumbs = append(f.Crumbs, crumb{Text: title})
}

// command adds a line to "As a command".
func (f *frame) command(words ...string) {
	f.Commands = append(f.Commands, "mintmark "+strings.Join(words, " "))
}

// On names the subject of an act, such as card:5001, with the page that shows it.
func (f *frame) On(subject string) crumb {
	kind, id, _ := strings.Cut(subject, ":")
	if kind == "" {
		return crumb{}
	}
	const longest = 16
	named := crumb{Text: strings.ToUpper(kind[:1]) + kind[1:] + " " + id}
	if len(id) > longest {
		named.Text = strings.ToUpper(kind[:1]) + kind[1:] + " " + short(id)
	}
	pages := map[string]string{
		"card": "cards/", "customer": "customers/", "order": "orders/", "webhook": "webhooks/",
		"approval": "approvals/", "program": "programs/", "operator": "operators/",
	}
	if path, ok := pages[kind]; ok {
		named.To = f.To(path + url.PathEscape(id))
	}
	return named
}
