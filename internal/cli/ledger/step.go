package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Step prepares a case: a request with DefaultKey that succeeds, a report of the card processor, or
// a fault rule. The placeholders in its texts are those of Case.
type Step struct {
	Path        string
	Body        string
	Header      map[string]string
	CreatesCard bool // the card in the response is $card from here on

	Report   string // kind of a report about $card
	FailCode int    // code with which the next request for Path fails
}

// Pending creates a card of customer 1001 that is pending verification.
var Pending = []Step{{
	Path: initiate, CreatesCard: true,
	Body: NewCard(`"nickName":"Ledger $unique","tag":"ledger $unique"`),
}}

// Verified creates a usable card.
var Verified = after(Pending, "/card/verify", `"birthDate":"1985-03-14","cardNumberMasked":"1111"`)

var (
	pinTriesExceeded = reported(Verified, "pinTriesExceeded")
	compromised      = reported(Verified, "compromised")
)

// Act returns the body of an act of customer 1001 on a card. more holds further members.
func Act(card int, more string) string { return act(strconv.Itoa(card), more) }

// NewCard returns the body of a card order by customer 1001. The members in more are added, or
// replace those of the same name.
func NewCard(more string) string {
	body := "{"
	for _, member := range [][2]string{
		{`"customerId"`, "1001"}, {`"cardHolderCustomerId"`, "1001"}, {`"vendorTypeCode"`, `"VS"`},
		{`"typeCode"`, `"DBT"`}, {`"primaryAccountId"`, "2001"}, {`"firstName"`, `"Ada"`},
		{`"lastName"`, `"Example"`}, {`"nickName"`, `"Unused"`},
	} {
		if !strings.Contains(more, member[0]+":") {
			body += member[0] + ":" + member[1] + ","
		}
	}
	return strings.TrimSuffix(body+more, ",") + "}"
}

// after returns the given steps followed by another act of customer 1001 on the card.
func after(given []Step, path, more string) []Step {
	return slices.Concat(given, []Step{perform(path, more)})
}

// perform returns an act of customer 1001 on $card as a step.
func perform(path, more string) Step { return Step{Path: path, Body: act("$card", more)} }

// act is Act for a card that may be a placeholder.
func act(card, more string) string {
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"customerId":1001,"cardId":%s%s}`, card, more)
}

// reported returns the given steps followed by a report of the card processor about the card.
func reported(given []Step, kind string) []Step {
	return slices.Concat(given, []Step{{Report: kind}})
}

// Request is a request to the callers' interface.
type Request struct {
	Key, Method, Path, Body string
	Header                  map[string]string
	HTTP10                  bool
}

// Answer is the response to a Request.
type Answer struct {
	Status int
	Body   []byte
}

// Sandbox is the sandbox that a case is sent to.
type Sandbox interface {
	// Send sends a request of a caller.
	Send(ctx context.Context, r Request) (Answer, error)

	// Report makes the card processor send a report about a card.
	Report(ctx context.Context, cardID, kind string) error

	// Fail makes the next request with a key for a path fail with a code.
	Fail(ctx context.Context, path, key string, code int) error
}

// Run sends the steps and the request of a case. It returns the last response and the message that
// it must contain. unique is a text that no other run uses.
func (c Case) Run(
	ctx context.Context, to Sandbox, unique string,
) (answer Answer, want string, err error) {
	card, err := Prepare(ctx, c.Given, to, unique)
	if err != nil {
		return Answer{}, "", err
	}
	for range max(1, c.Most) {
		answer, err = to.Send(ctx, c.Request(card, unique))
		if err != nil {
			return Answer{}, "", err
		}
		if answer.Status != success {
			break
		}
	}
	return answer, Fill(c.Want, card, unique), nil
}

const success = 200 // every successful response has this status

// Prepare performs steps and returns the ID of the card that they created.
func Prepare(
	ctx context.Context, given []Step, to Sandbox, unique string,
) (card string, err error) {
	for _, step := range given {
		switch {
		case step.Report != "":
			err = to.Report(ctx, card, step.Report)
		case step.FailCode != 0:
			err = to.Fail(ctx, step.Path, DefaultKey, step.FailCode)
		default:
			card, err = step.send(ctx, to, card, unique)
		}
		if err != nil {
			return "", err
		}
	}
	return card, nil
}

// send sends the request of a step and returns the new value of $card.
func (s Step) send(
	ctx context.Context, to Sandbox, card, unique string,
) (string, error) {
	answer, err := to.Send(ctx, s.Request(card, unique))
	if err != nil {
		return "", err
	}
	if answer.Status != success {
		return "", fmt.Errorf("%s failed: %s", s.Path, answer.Body)
	}
	if !s.CreatesCard {
		return card, nil
	}
	id, err := CardIn(answer.Body)
	if err != nil {
		return "", fmt.Errorf("read the answer of %s: %w", s.Path, err)
	}
	return strconv.Itoa(id), nil
}

// CardIn returns the cardId in a response, 0 if it has none.
func CardIn(body []byte) (int, error) {
	var envelope struct {
		Data struct {
			CardID int `json:"cardId"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return 0, err
	}
	return envelope.Data.CardID, nil
}

// Request returns the request of the case with its placeholders replaced.
func (c Case) Request(card, unique string) Request {
	return Request{
		c.Key, c.Method, c.Path, c.Body, c.Header, c.HTTP10,
	}.withDefaults(card, unique)
}

// Request returns the request of the step with its placeholders replaced.
func (s Step) Request(card, unique string) Request {
	return Request{Path: s.Path, Body: s.Body, Header: s.Header}.withDefaults(card, unique)
}

// withDefaults sets defaults and replaces placeholders.
func (r Request) withDefaults(card, unique string) Request {
	if r.Key == "" {
		r.Key = DefaultKey
	}
	if r.Method == "" && r.Body != "" {
		r.Method = "POST"
	}
	if r.Method == "" {
		r.Method = "GET"
	}
	r.Path, r.Body = Fill(r.Path, card, unique), Fill(r.Body, card, unique)
	header := make(map[string]string, len(r.Header))
	for name, value := range r.Header {
		header[name] = Fill(value, card, unique)
	}
	r.Header = header
	return r
}

// PaddingBytes is more than a body may have.
const PaddingBytes = 64 << 10

// Fill replaces the placeholders $card, $unique and $padding.
func Fill(text, card, unique string) string {
	if !strings.Contains(text, "$") {
		return text
	}
	return strings.NewReplacer(
		"$card", card, "$unique", unique, "$padding", strings.Repeat("0", PaddingBytes),
	).Replace(text)
}
