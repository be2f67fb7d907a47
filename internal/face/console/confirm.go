package console

import (
	"context"
	"slices"

	wire "mintmark/client/admin"
)

// cardAct is an act on a card that asks to be confirmed on a page of its own.
type cardAct struct {
	name   string // in the address, and among the acts of the card
	verb   string
	reason bool // one of several reasons is chosen
	title  func(id string) string
}

var cardActs = []cardAct{
	{"lock", "Lock", true, func(id string) string { return "Lock card " + id + " as the system" }},
	{"unlock", "Clear the lock", false,
		func(id string) string { return "Clear the lock of card " + id }},
	{"reissue", "Reissue", true, func(id string) string { return "Reissue card " + id }},
	{"archive", "Archive", false,
		func(id string) string { return "Archive card " + id + " for good" }},
}

func cardActRows() []row {
	var rows []row
	for _, one := range cardActs {
		rows = append(rows, form("cards/{card}/"+one.name, "cards", "confirm", one.show, one.do)...)
	}
	return rows
}

// confirmData is the page of an act on a card.
type confirmData struct {
	Card     wire.CardDetail
	Name     string
	Heading  string
	Possible bool
	Act      wire.CardAct
	Reasons  []reasonChoice
}

// reasonChoice is a reason of a lock or a reissue, with what it means.
type reasonChoice struct {
	Member           string // of the body
	Code, Text, Note string
	Ends             bool // for good
	Chosen           bool
}

// The reasons of an operator's lock and of a reissue. The first is chosen until another is.
var (
	lockChoices = []reasonChoice{
		{Code: "ADM", Text: "Administrative", Note: "Until a question is settled"},
		{Code: "PIN", Text: "PIN tries exceeded", Note: "The processor counted too many"},
		{Code: "FRD", Text: "Suspected fraud", Note: "Another person may know the card number", Ends: true},
		{Code: "LST", Text: "Lost", Note: "The holder does not find it", Ends: true},
		{Code: "STL", Text: "Stolen", Note: "Taken from the holder", Ends: true},
	}
	reissueChoices = []reasonChoice{
		{Code: "DMG", Text: "Damaged", Note: "The same number on new plastic"},
		{Code: "LST", Text: "Lost", Note: "The holder does not find it", Ends: true},
		{Code: "STL", Text: "Stolen", Note: "Taken from the holder", Ends: true},
		{Code: "FRD", Text: "Suspected fraud", Note: "Another person may know the card number", Ends: true},
	}
)

// reasonMember is the member of the body that holds the reason's code.
func (a cardAct) reasonMember() string {
	return map[string]string{
		"lock": "lockReasonTypeCode", "reissue": "reissueReasonTypeCode",
	}[a.name]
}

func (a cardAct) show(ctx context.Context, v *visit) (confirmData, error) {
	id, err := v.number("card")
	if err != nil {
		return confirmData{}, err
	}
	found, err := read[wire.CardDetail](ctx, v, "cards/"+itoa(id))
	if err != nil {
		return confirmData{}, err
	}
	v.choose(found.ProgramID)
	text := itoa(id)
	v.crumbs(a.verb, "Cards", "cards", "Card "+text, "cards/"+text)
	v.Title = a.title(text)
	data := confirmData{Card: found, Name: a.name, Heading: v.Title}
	for _, one := range found.Acts {
		if one.Name == a.name {
			data.Act, data.Possible = one, one.Possible
		}
	}
	words := []string{"card", a.name, text}
	if a.reason {
		data.Reasons = lockChoices
		if a.name == "reissue" {
			data.Reasons = reissueChoices
		}
		data.Reasons = a.choose(data.Reasons, v.Field(a.reasonMember(), ""))
		words = append(words, "--reason-code", data.Reasons[0].Code)
	}
	v.command(append(words, "--reason", `"…"`, "--revision", itoa(found.Revision))...)
	return data, nil
}

// choose marks the reason with a code, or the first.
func (a cardAct) choose(from []reasonChoice, code string) []reasonChoice {
	all := slices.Clone(from)
	chosen := 0
	for i := range all {
		all[i].Member = a.reasonMember()
		if all[i].Code == code {
			chosen = i
		}
	}
	all[chosen].Chosen = true
	return all
}

// cardActBody is the body of an act on a card. Each act has its own of the two codes.
type cardActBody struct {
	LockReasonTypeCode    string `json:"lockReasonTypeCode,omitempty"`
	ReissueReasonTypeCode string `json:"reissueReasonTypeCode,omitempty"`
	Reason                string `json:"reason,omitempty"`
}

func (a cardAct) do(ctx context.Context, v *visit) (outcome, error) {
	id, err := v.number("card")
	if err != nil {
		return outcome{}, err
	}
	body := cardActBody{Reason: v.typed("reason")}
	switch a.name {
	case "lock":
		body.LockReasonTypeCode = v.typed(a.reasonMember())
	case "reissue":
		body.ReissueReasonTypeCode = v.typed(a.reasonMember())
	}
	done, err := act[wire.CardDetail](ctx, v, "cards/"+itoa(id)+"/"+a.name, body)
	if err != nil {
		return outcome{}, err
	}
	if done.ID == 0 {
		done.ID = id
	}
	return lead(v.To("cards/" + itoa(done.ID))), nil
}
