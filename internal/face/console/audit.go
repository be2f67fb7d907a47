package console

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
)

func auditRows() []row {
	return []row{
		page("audit", "audit", "audit", showAudit),
		page("audit/export", "audit", "form", showExport),
		download("audit/mintmark-audit.ndjson", saveExport),
		download("audit/mintmark-audit.pub", saveVerifierKey),
		download("audit/mintmark-audit.checkpoint", saveCheckpoint),
		page("audit/{sequence}", "audit", "entry", showEntry),
		download("audit/{sequence}/proof.json", saveProof),
	}
}

// auditList is the list of audit entries.
type auditList struct {
	Items    []entryLine
	Next     string
	Newer    int // entries added since the page was opened
	Filtered bool
	Filters  []*control
	total
}

// entryLine is an audit entry in a list.
type entryLine struct {
	wire.Entry
	At      moment
	Words   string // name of the act
	Mark    mark
	On      crumb  // the subject
	Why     string // the reason that was given, or the one for a decline
	Changed []change
	More    int // changes that the list leaves out
}

// maxListedChanges limits the changes of an entry in the list: a new program has 60.
const maxListedChanges = 3

func showAudit(ctx context.Context, v *visit) (auditList, error) {
	p := pages{Resource: resourceOf("audit")}
	names := p.filters()
	list := auditList{Filters: p.filterFields(v, names), Filtered: v.filtered(names...)}
	v.crumbs("Audit")
	query := v.listQuery(p.List)
	query.Set("limit", "40") // 50 entries with their changes make 66 KB
	l, newer, err := v.acts(ctx, "audit", query)
	v.command("audit list", v.flags(p.List, append(names, "programId", "sort")...))
	if err != nil {
		return list, v.refuseFilters(list.Filters, err)
	}
	list.Next, list.Newer, list.total = l.Next, len(newer), v.totalOf(l.Total, l.Next)
	for _, e := range l.Items {
		line := v.entryLine(e)
		line.More = max(0, len(line.Changed)-maxListedChanges)
		line.Changed = line.Changed[:len(line.Changed)-line.More]
		list.Items = append(list.Items, line)
	}
	return list, nil
}

func (v *visit) entryLine(e wire.Entry) entryLine {
	line := entryLine{
		Entry: e, At: v.When(e.At), Words: actWordsOf(e.Act).title(), Mark: outcomeMark(e.Outcome),
	}
	line.On = v.On(e.Subject, e.ProgramID)
	line.Changed = changes(e)
	line.Why = e.Reason
	if reason := members(e.After)["reason"]; line.Why == "" && e.Outcome == "declined" && reason != "" {
		line.Why = capital(declineText(reason))
	}
	return line
}

// outcomeMark returns the mark of an outcome: acts that were refused or failed stand out.
func outcomeMark(outcome string) mark {
	switch outcome {
	case "unchanged", "read", "noted":
		return mark{"mute", "ring", outcome}
	case "declined", "order failed", "rejected", "failed", "lapsed":
		return mark{"bad", "cross", outcome}
	}
	if strings.HasPrefix(outcome, "refused") || strings.HasPrefix(outcome, "not-") {
		return mark{"bad", "tri", outcome}
	}
	return mark{"ok", "", outcome}
}

// subjectPages maps the kind of a subject to the path of its page.
var subjectPages = map[string]string{
	"card": "cards/", "customer": "customers/", "program": "programs/", "key": "keys/",
	"webhook": "webhooks/", "document": "documents/", "bin": "bins/", "order": "orders/",
	"operator": "operators/", "approval": "approvals/", "bank": "banks/",
	"compromise": "compromises/",
}

// On returns a link to the subject of an act, such as card:5001. Program 0 stands for the program
// of this page.
func (f *frame) On(subject string, programID int) crumb {
	kind, id, named := strings.Cut(subject, ":")
	if !named {
		return crumb{Text: subject}
	}
	path, ok := subjectPages[kind]
	if !ok {
		return crumb{Text: strings.ReplaceAll(kind, "-", " ") + " " + short(id)}
	}
	return crumb{kind + " " + id, f.To(f.Named(path, id), programQuery(programID)...)}
}

func (v *visit) entryFacts(e entryLine) []fact {
	return []fact{
		{Name: "At", At: e.At},
		{Name: "Who", Text: actorText(e.Actor)},
		{Name: "Act", Text: e.Act},
		{Name: "On", Text: e.On.Text, To: e.On.To},
		{Name: "Address", Text: e.Address, Code: true, Copy: true},
		{Name: "Request", Text: e.RequestID, Code: true, Copy: true},
		{Name: "Entry", Text: count(e.Sequence)},
	}
}

// showExport shows the form for the time span of an audit export.
func showExport(_ context.Context, v *visit) (formPage, error) {
	v.crumbs("Export the audit", "Audit", "audit")
	v.command("audit export --from 2026-01-01 --to 2026-02-01 > mintmark-audit.ndjson")
	v.command("audit verify --export mintmark-audit.ndjson --key mintmark-audit.pub")
	return formPage{
		Fields: ask(
			&control{Name: "from", Label: "From", Kind: momentField,
				Help: "In " + v.Zone.String() + ". From the first entry when left empty."},
			&control{Name: "to", Label: "Up to", Kind: momentField,
				Help: "To the newest sealed entry when left empty."},
		),
		Get: v.To("audit/mintmark-audit.ndjson"), Button: "Save the export",
		Back: v.To("audit"), BackText: "Back to the audit",
		Note: "One entry a line in the order of the log, and a signed checkpoint as the last " +
			"line. It can be verified without this server.",
	}, nil
}

func saveExport(ctx context.Context, v *visit) (web.Response, error) {
	span := ask(&control{Name: "from"}, &control{Name: "to"}).fill(v.query)
	query := url.Values{}
	for _, name := range []string{"from", "to"} {
		if at := span.moment(name, v.Zone); at != nil {
			query.Set(name, at.Format(isoMillis))
		}
	}
	if err := span.problem(); err != nil {
		return web.Response{}, err
	}
	return v.save(ctx, "audit/export", query, "mintmark-audit.ndjson")
}

func saveProof(ctx context.Context, v *visit) (web.Response, error) {
	path, err := v.fillPath("audit/{sequence}/proof")
	if err != nil {
		return web.Response{}, err
	}
	return v.save(ctx, path, nil, "mintmark-proof-"+v.params["sequence"]+".json")
}

func saveVerifierKey(ctx context.Context, v *visit) (web.Response, error) {
	return v.save(ctx, "audit/key", nil, "mintmark-audit.pub")
}

func saveCheckpoint(ctx context.Context, v *visit) (web.Response, error) {
	return v.save(ctx, "audit/checkpoint", nil, "mintmark-audit.checkpoint")
}

// save returns a response of the interface as a file to download.
func (v *visit) save(
	ctx context.Context, path string, query url.Values, name string,
) (web.Response, error) {
	result, err := v.do(ctx, admin.Request{Method: http.MethodGet, Path: path, Query: query})
	if err != nil {
		return web.Response{}, err
	}
	v.exchange.Header.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	return result.Response()
}
