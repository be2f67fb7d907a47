package console

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/base/problem"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
)

func compromiseRows() []row {
	return slices.Concat(
		reserved(reserved(
			form("compromises/new", "compromises", "form", showNewCompromise, reportCompromise),
			"support"), "security"),
		[]row{
			page("compromises", "compromises", "list", listCompromises),
			page("compromises/{id}", "compromises", "compromise", showCompromise),
			download("compromises/{id}/cards.csv", func(
				ctx context.Context, v *visit,
			) (web.Response, error) {
				id := v.param("id")
				return v.save(ctx, "compromises/"+id+"/cards", nil, "compromise-"+id+".csv")
			}),
		})
}

// listCompromises lists compromises, and links to the form that reports card numbers of the page's
// program.
func listCompromises(ctx context.Context, v *visit) (listPage, error) {
	shown, err := pagesAt("compromises").list(ctx, v)
	if v.Program != nil && v.May("support") && v.May("security") {
		shown.New, shown.NewText = v.To("compromises/new"), "Report numbers"
		v.reportCommand()
	}
	return shown, err
}

// numbersAsked returns the fields of the form except the file.
func numbersAsked(v *visit) *fieldset {
	r := resourceAt("compromises")
	fields := slices.DeleteFunc(slices.Clone(r.Fields), func(f admin.Field) bool {
		return f.Name == "programId" || f.Name == "numbers"
	})
	in := v.inputsOf(fields, admin.Creating, reflect.TypeFor[wire.NewCompromise](), nil)
	return ask(append(in.controls(), reasonField("Source of the numbers, and of the request."),
		&control{Name: "dryRun", Label: "Dry run", Kind: switchField,
			Help: "Shows which numbers are cards of the program, and changes nothing."})...)
}

// reportCommand adds the command that reports card numbers of the page's program.
func (v *visit) reportCommand() {
	v.command("card compromised list.age", v.programFlag(), `--name "…" --act lock --reason "…"`)
}

func showNewCompromise(_ context.Context, v *visit) (formPage, error) {
	if v.Program == nil {
		return formPage{}, notFound()
	}
	v.crumbs("Report numbers", "Compromises", "compromises")
	v.reportCommand()
	return formPage{
		Fields: numbersAsked(v).afterRefusal(v), Confirm: v.secondOperator(opOf(http.MethodPost, "compromises")),
		Upload: "File with a card number a line, encrypted with age or not", Accept: ".age,.txt,.csv",
		Button: v.confirmLabel("Report the numbers"), Back: v.To("compromises"),
		BackText: "Back to the compromises",
		Note: "The cards are locked at once, or replaced at a daily rate. The numbers are not " +
			"stored.",
	}, nil
}

// noFile asks for the file of the form.
var noFile = wire.MemberError{Detail: "Choose a file with the card numbers."}

// wrongRate returns the problem of the daily rate with those of the other fields.
func wrongRate(v *visit) error {
	wrong := []wire.MemberError{{Pointer: "/perDay", Detail: "must be a positive whole number"}}
	for _, name := range []string{"name", "act", "reason"} {
		if v.typed(name) == "" {
			wrong = append(wrong, wire.MemberError{Pointer: "/" + name, Detail: "is required"})
		}
	}
	if len(v.files["file"]) == 0 {
		wrong = append(wrong, noFile)
	}
	return invalid(wrong...)
}

func reportCompromise(ctx context.Context, v *visit) (outcome, error) {
	query := url.Values{"programId": {itoa(v.programID)}}
	for _, name := range []string{"name", "act", "perDay", "dryRun"} {
		if value := v.typed(name); value != "" {
			query.Set(name, value)
		}
	}
	if text := query.Get("perDay"); text != "" {
		if perDay, err := strconv.Atoi(text); err != nil || perDay < 1 || perDay > problem.MaxID {
			return outcome{}, wrongRate(v)
		}
	}
	list, err := valueOf[wire.Compromise](v.do(ctx, admin.Request{
		Method: http.MethodPost, Path: "compromises", Query: query,
		Reason: strings.Join(strings.Fields(v.typed("reason")), " "),
		Sender: sender{v.exchange, v.files["file"]},
	}))
	if refused := (*wire.Problem)(nil); errors.As(err, &refused) && len(v.files["file"]) == 0 {
		for i, e := range refused.Errors {
			if e.Pointer == "/numbers" {
				refused.Errors[i] = noFile
			}
		}
	}
	if err != nil {
		return outcome{}, err
	}
	if v.typed("dryRun") != "" {
		v.crumbs("Dry run of "+list.Name, "Compromises", "compromises")
		return once("compromise", compromisePageOf(v, itemPage{
			Facts: pagesAt("compromises").facts(v, list), Noun: "list",
		}, list)), nil
	}
	return redirectTo(v.To("compromises/" + itoa(list.ID))), nil
}

// compromisePage is a list of compromised card numbers with the progress of its cards.
type compromisePage struct {
	itemPage
	Progress progressBar
	Cards    string // address of the CSV of its cards; empty for a dry run
}

func showCompromise(ctx context.Context, v *visit) (compromisePage, error) {
	p := pagesAt("compromises")
	list, err := readNamed[wire.Compromise](ctx, v, p.Item)
	if err != nil {
		return compromisePage{}, err
	}
	shown := compromisePageOf(v, p.page(v, list), list)
	shown.Acts = slices.DeleteFunc(shown.Acts, func(o offered) bool {
		return o.Name == "pause" && list.State != "running" ||
			o.Name == "resume" && list.State != "paused"
	})
	shown.Cards = v.To("compromises/" + itoa(list.ID) + "/cards.csv")
	return shown, nil
}

func compromisePageOf(v *visit, of itemPage, list wire.Compromise) compromisePage {
	var statuses []string
	for _, name := range slices.Sorted(maps.Keys(list.Statuses)) {
		statuses = append(statuses, fmt.Sprintf("%s %s", count(list.Statuses[name]), name))
	}
	if len(statuses) > 0 {
		of.Facts = append(of.Facts, fact{
			Name: "Cards by status when they were found", Text: strings.Join(statuses, ", "),
		})
	}
	return compromisePage{itemPage: of, Progress: newProgress(list.Cards-list.Waiting, list.Cards)}
}
