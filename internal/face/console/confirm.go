package console

import (
	"context"
	"slices"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
)

// cardAct is an act on a card that is confirmed on its own page.
type cardAct struct {
	name  string // in the path, and in the card's acts
	verb  string
	title func(id string) string
}

var cardActs = []cardAct{
	{"lock", "Lock", func(id string) string { return "Lock card " + id + " as the system" }},
	{"unlock", "Clear the lock",
		func(id string) string { return "Clear the lock of card " + id }},
	{"reissue", "Reissue", func(id string) string { return "Reissue card " + id }},
	{"archive", "Archive",
		func(id string) string { return "Archive card " + id + " for good" }},
}

func cardActRows() []row {
	var rows []row
	for _, c := range cardActs {
		acts := form("cards/{id}/"+c.name, "cards", "confirm", c.show, c.do)
		acts[1].leaves = true
		rows = append(rows, acts...)
	}
	return rows
}

// confirmData is the page that confirms an act on a card.
type confirmData struct {
	Card     wire.CardDetail
	Name     string
	Heading  string
	Possible bool
	Dead     bool   // a permanent lock has retired the card number
	Alone    string // warning that no other operator can approve the act
	Act      wire.CardAct
	Reasons  []reasonChoice
}

// reasonChoice is a reason for a lock or a reissue, with an explanation.
type reasonChoice struct {
	Member           string // of the body
	Code, Text, Note string
	Ends             bool // cannot be undone
	Chosen           bool
}

// reason returns the body's field for the reason code, or the zero value if the act has none.
func (a cardAct) reason() admin.Field {
	fields := resourceAt("cards").Act(a.name).Fields
	if len(fields) == 0 {
		return admin.Field{}
	}
	return fields[0]
}

func (a cardAct) show(ctx context.Context, v *visit) (confirmData, error) {
	cardDetail, err := readNamed[wire.CardDetail](ctx, v, "cards/{id}")
	if err != nil {
		return confirmData{}, err
	}
	text := itoa(cardDetail.ID)
	v.crumbs(a.verb, "Cards", "cards", "Card "+text, "cards/"+text)
	v.Title = a.title(text)
	if a.name == "lock" && locked(cardDetail.Card) {
		v.Title = "Change the lock of card " + text
	}
	data := confirmData{Card: cardDetail, Name: a.name, Heading: v.Title}
	for _, c := range cardDetail.Acts {
		if c.Name == a.name {
			data.Act, data.Possible = c, c.Possible
		}
	}
	data.Alone = v.unapproved(resourceAt("cards").Act(a.name), true)
	words := []string{"card", a.name, text}
	if why := a.reason(); why.Name != "" {
		if a.name == "reissue" && cardDetail.Lock != nil && cardDetail.Lock.Permanent {
			data.Dead = true
			why.Choices = slices.Clone(why.Choices)
			for i := range why.Choices { // every reason replaces a card with a dead number
				why.Choices[i].Irreversible = true
				if why.Choices[i].Value == "DMG" {
					why.Choices[i].Help = "For the reason of the lock: its number is not used again"
				}
			}
		}
		data.Reasons = chooseReason(why, v.Field(why.Name, ""))
		chosen := slices.IndexFunc(data.Reasons, func(r reasonChoice) bool { return r.Chosen })
		words = append(words, "--reason-code", data.Reasons[chosen].Code)
	}
	v.command(append(words, "--reason", `"…"`, "--revision", itoa(cardDetail.Revision))...)
	return data, nil
}

// chooseReason returns the reasons of a field. The one with the code is chosen, or else the first.
func chooseReason(why admin.Field, code string) []reasonChoice {
	all := make([]reasonChoice, len(why.Choices))
	chosen := 0
	for i, c := range why.Choices {
		all[i] = reasonChoice{
			Member: why.Name, Code: c.Value, Text: c.Label, Note: c.Help, Ends: c.Irreversible,
		}
		if c.Value == code {
			chosen = i
		}
	}
	all[chosen].Chosen = true
	return all
}

func (a cardAct) do(ctx context.Context, v *visit) (outcome, error) {
	path, err := v.fillPath("cards/{id}")
	if err != nil {
		return outcome{}, err
	}
	body := map[string]string{}
	for _, name := range []string{"reason", a.reason().Name} {
		if text := v.typed(name); name != "" && text != "" {
			body[name] = text
		}
	}
	done, err := act[wire.CardDetail](ctx, v, path+"/"+a.name, body)
	if err != nil {
		return outcome{}, err
	}
	if done.ID != 0 {
		path = "cards/" + itoa(done.ID)
	}
	return redirectTo(v.To(path)), nil
}
