package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/secret"
	"mintmark/internal/base/sheet"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/domain/compromise"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// maxNumbersBytes is the limit of a list of card numbers: some hundred thousand of them.
const maxNumbersBytes = 16 << 20

// listed are the members of a request besides the numbers.
var listed = []Field{
	{Name: "programId", Label: "Program", Help: "Program of the cards.", Required: true},
	{Name: "name", Label: "Name", Help: "Name of the list.", Required: true},
	{Name: "act", Label: "Act", Help: "Done to each card with one of the numbers.", Choices: []Choice{
		{Value: "lock", Label: "Lock", Help: "At once and for good, as suspected fraud",
			Irreversible: true},
		{Value: "replace", Label: "Replace", Help: "Order other cards, at a daily rate",
			Irreversible: true},
	}, Required: true},
	{Name: "perDay", Label: "Cards a day", Help: "How many cards are replaced a day; all at once " +
		"unless given."},
}

// compromised accepts lists of compromised card numbers. It has no command: a card number must
// never be an argument.
func (d *Desk) compromised() *Resource {
	report := createLong(Op{
		Summary:  "Lock or replace cards with compromised numbers",
		Together: true, FourEyes: true, Filters: listed, Location: "compromises/{id}",
	}, "text/plain", maxNumbersBytes, d.reportCompromise)
	report.Request = reflect.TypeFor[wire.NewCompromise]()
	return &Resource{
		Path: "compromises", Roles: operator.Roles{operator.Support, operator.Security},
		Fields: append([]Field{
			{Name: "numbers", Label: "Card numbers", On: WireOnly, Secret: true,
				Help: "13 to 19 digits each; spaces and hyphens may stand between them."},
			{Name: "dryRun", Label: "Dry run", On: WireOnly, Help: "As the parameter of the query."},
		}, listed...),
		Create: report,
	}
}

func (d *Desk) compromises() *Resource {
	return &Resource{
		Noun: "compromise", Path: "compromises", Item: "compromises/{id}",
		ID:    Param{Name: "id", Help: "Number of the list.", Number: true},
		Help:  "Lists of compromised card numbers, and what is done about their cards.",
		Empty: "A list appears after numbers are reported.",
		Nav:   Nav{"Issuing", "Compromises"},
		Roles: operator.Roles{operator.Support, operator.Security},
		Columns: []string{
			"id", "programId", "name", "act", "state", "cards", "waiting", "done", "left", "refused",
			"made",
		},
		Fields: []Field{
			{Name: "programId", Label: "Program", On: Shown},
			{Name: "name", Label: "Name", On: Shown},
			{Name: "act", Label: "Act", On: Shown, Help: "lock or replace"},
			{Name: "perDay", Label: "Cards a day", On: Shown},
			{Name: "reason", Label: "Reason", On: Shown},
			{Name: "by", Label: "By", On: Shown, Help: "Name of the operator."},
			{Name: "made", Label: "Reported", On: Shown},
			{Name: "state", Label: "State", On: Shown, Help: "waiting, running, paused or done"},
			{Name: "numbers", Label: "Numbers", On: Shown, Help: "Different ones."},
			{Name: "unknown", Label: "Unknown", On: Shown,
				Help: "Numbers that belong to no card of the program."},
			{Name: "cards", Label: "Cards", On: Shown, Help: "Cards of the program with one of them."},
			{Name: "statuses", Label: "Statuses of the cards", On: Shown,
				Help: "When they were found."},
			{Name: "waiting", Label: "Waiting", On: Shown, Help: "Cards not handled yet."},
			{Name: "done", Label: "Done", On: Shown, Help: "Cards locked or replaced."},
			{Name: "left", Label: "Left", On: Shown,
				Help: "Cards that were already replaced, or locked permanently."},
			{Name: "refused", Label: "Refused", On: Shown,
				Help: "Cards whose state, customer or BIN does not allow the act. Unless it is " +
					"archived, it is locked all the same."},
			{Name: "changed", Label: "Last changed", On: Shown},
			{Name: "digest", Label: "Keyed digest of the numbers", On: Shown},
			{Name: "repeated", Label: "Repeated", On: Shown,
				Help: "The same numbers were reported before, and nothing was done."},
		},
		List: list(Op{
			Summary: "List the lists of compromised cards, newest first",
			Example: "mintmark compromise list",
			Filters: []Field{{Name: "programId", Label: "Program", Help: "of a program"}},
		}, d.listCompromises),
		Show: get(Op{
			Summary: "Read the progress of a list", Example: "mintmark compromise get 1",
		}, byID(showCompromise, d.acts.Cards.FindCompromise)),
		Acts: []*Op{
			download(Op{
				Name: "cards", Summary: "Read the cards of a list as CSV, with the outcome of each",
				Example: "mintmark compromise cards 1 > cards.csv",
			}, csvType, d.compromisedCards),
			act(Op{
				Name: "pause", Summary: "Pause a list", Reason: true, FourEyes: true,
				Example: `mintmark compromise pause 1 --reason "asked by the bureau"`,
				Effect:  "No further card is locked or replaced until the list is resumed.",
				Button:  "Pause the list",
			}, d.pauseCompromise),
			act(Op{
				Name: "resume", Summary: "Resume a paused list", Reason: true,
				Example: `mintmark compromise resume 1 --reason "the bureau has room"`,
				Effect:  "The list goes on with the next card.", Button: "Resume the list",
			}, d.resumeCompromise),
		},
	}
}

// csvType is the media type of CSV.
const csvType = "text/csv; charset=utf-8"

// approvedList is what an approval stores of a list. The cards are stored; card numbers are not
// stored anywhere.
type approvedList struct {
	ID int `json:"compromiseId"`
}

func (d *Desk) reportCompromise(
	ctx context.Context, c *call, from io.Reader,
) (wire.Compromise, error) {
	if c.approved {
		var of approvedList
		if err := json.Unmarshal(c.body, &of); err != nil {
			return wire.Compromise{}, err
		}
		return convert(showCompromise)(d.acts.Cards.BeginCompromise(ctx, c.who, of.ID))
	}
	opened, err := d.acts.Vault.OpenFile(from)
	if err != nil {
		return wire.Compromise{}, fileProblem(err)
	}
	text, err := io.ReadAll(opened)
	if err != nil {
		return wire.Compromise{}, fileProblem(err)
	}
	if err := d.authorizeAgain(ctx, c); err != nil {
		return wire.Compromise{}, err
	}
	newCompromise, numbers, problems, err := c.numbersIn(bytes.TrimSpace(text))
	if err != nil {
		return wire.Compromise{}, err
	}
	list := compromise.List{
		ProgramID: newCompromise.ProgramID, Name: newCompromise.Name, Act: compromise.Act(newCompromise.Act),
		PerDay: newCompromise.PerDay, Actor: c.who.Actor,
	}
	if len(problems) > 0 {
		problems = withNew(problems, problem.Check(list))
	}
	if err := c.refuseBody(problems); err != nil {
		return wire.Compromise{}, err
	}
	l, repeated, err := d.acts.Cards.ReportCompromise(ctx, c.who, list, numbers)
	if errors.Is(err, issuing.ErrNeedsApproval) {
		if wrong := c.storeForApproval(ctx, l.ProgramID, approvedList{l.ID}); wrong != nil {
			err = wrong
		}
	}
	if err != nil {
		return wire.Compromise{}, err
	}
	shown := showCompromise(l)
	shown.Repeated = repeated
	return shown, nil
}

// numbersIn reads a JSON object with the whole request, or one card number per line with the rest
// in the query. Problems of a number name its line.
func (c *call) numbersIn(text []byte) (
	newCompromise wire.NewCompromise, all []pan.Number, problems problem.List, err error,
) {
	if bytes.HasPrefix(text, []byte("{")) {
		for _, field := range listed {
			if c.query.Has(field.Name) {
				return newCompromise, nil, nil, invalidQuery(field.Name, "stands in the body")
			}
		}
		c.body = text
		text, wrong := c.takeReason(reflect.TypeFor[wire.NewCompromise]())
		c.body = nil
		problems = wrong
		newCompromise, wrong = strictjson.Decode[wire.NewCompromise](text)
		problems = append(problems, wrong...)
		c.who.DryRun = c.who.DryRun || newCompromise.DryRun
		for i, digits := range newCompromise.Numbers {
			all = addNumber(all, &problems, fmt.Sprintf("numbers[%d]", i), "", digits)
		}
		newCompromise.Numbers = nil
		return newCompromise, all, problems, nil
	}
	newCompromise = wire.NewCompromise{
		ProgramID: c.number("programId"), Name: c.query.Get("name"), Act: c.query.Get("act"),
		PerDay: c.number("perDay"),
	}
	line := 0
	for digits := range bytes.Lines(text) {
		line++
		if digits = bytes.TrimSpace(digits); len(digits) > 0 {
			all = addNumber(all, &problems, strconv.Itoa(line),
				fmt.Sprintf("line %d ", line), string(digits))
		}
	}
	return newCompromise, all, problems, nil
}

// maxWrong is the maximum number of reported problems.
const maxWrong = 100

// addNumber adds a card number, or its problem. A number of a length that no card here has is
// valid, and matches no card.
func addNumber(all []pan.Number, wrong *problem.List, at, line, text string) []pan.Number {
	digits := strings.NewReplacer(" ", "", "-", "").Replace(text)
	mistake := ""
	switch {
	case len(digits) < pan.MinDigits, len(digits) > pan.MaxDigits,
		strings.Trim(digits, "0123456789") != "":
		mistake = fmt.Sprintf("must have %d to %d digits", pan.MinDigits, pan.MaxDigits)
	case pan.CheckDigit(digits[:len(digits)-1]) != digits[len(digits)-1]:
		mistake = "has a wrong check digit"
	}
	switch {
	case mistake == "":
		return append(all, pan.Number{Text: secret.New(digits)})
	case len(*wrong) < maxWrong:
		wrong.Add(at, "%s%s", line, mistake)
	}
	return all
}

func (d *Desk) listCompromises(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Compromise, string, error) {
	return convertAll(showCompromise)(
		d.acts.Cards.ListCompromises(ctx, c.who, c.number("programId"), page))
}

func (d *Desk) pauseCompromise(
	ctx context.Context, c *call, _ wire.PlainAct,
) (wire.Compromise, error) {
	return convert(showCompromise)(d.acts.Cards.PauseCompromise(ctx, c.who, c.id("id")))
}

func (d *Desk) resumeCompromise(
	ctx context.Context, c *call, _ wire.PlainAct,
) (wire.Compromise, error) {
	return convert(showCompromise)(d.acts.Cards.ResumeCompromise(ctx, c.who, c.id("id")))
}

func (d *Desk) compromisedCards(ctx context.Context, c *call) (web.Response, error) {
	cards, err := d.acts.Cards.CompromisedCards(ctx, c.who, c.id("id"))
	if err != nil {
		return web.Response{}, err
	}
	rows := make([]json.RawMessage, len(cards))
	for i, card := range cards {
		if card.Outcome == "" {
			card.Outcome = "waiting"
		}
		if rows[i], err = json.Marshal(card); err != nil {
			return web.Response{}, err
		}
	}
	var text bytes.Buffer
	err = sheet.Write(&text, []string{"id", "outcome", "replacement", "why"}, rows)
	return web.Response{Status: http.StatusOK, Body: text.Bytes()}, err
}

func showCompromise(l compromise.List) wire.Compromise {
	return wire.Compromise{
		ID: l.ID, ProgramID: l.ProgramID, Name: l.Name, Act: string(l.Act), PerDay: l.PerDay,
		Reason: l.Actor.Reason, Made: l.Made, By: l.Actor.Name, Digest: l.Digest,
		Numbers: l.Numbers, Unknown: l.Numbers - l.Cards, Cards: l.Cards, Statuses: l.Statuses,
		State: string(l.State), Waiting: l.Cards - l.Next(),
		Done: l.Outcomes[compromise.Handled], Left: l.Outcomes[compromise.Left],
		Refused: l.Outcomes[compromise.Refused], Changed: l.Changed,
	}
}
