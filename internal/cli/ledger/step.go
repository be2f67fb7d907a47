package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Step is something that is done before a case: a request of DefaultKey that succeeds, a report of
// the card processor, or a fault rule. The texts are as in Case.
type Step struct {
	Path   string
	Body   string
	Header map[string]string
	Makes  bool // the card of the answer is $card from here on

	Report string // the kind of a report about $card
	Fails  int    // the code with which the next request for Path fails
}

// Pending makes a card of customer 1001 that waits to be verified.
var Pending = []Step{{
	Path: initiate, Makes: true,
	Body: NewCard(`"nickName":"Ledger $unique","tag":"ledger $unique"`),
}}

// Verified makes a usable card.
var Verified = after(Pending, "/card/verify", `"birthDate":"1985-03-14","cardNumberMasked":"1111"`)

var (
	pinTriesExceeded = reported(Verified, "pinTriesExceeded")
	compromised      = reported(Verified, "compromised")
)

// Act is the body of an act of customer 1001 on a card.
func Act(card int, more string) string { return act(strconv.Itoa(card), more) }

// NewCard is the body of an order by customer 1001, with members that are given here or take the
// place of others.
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

// after is another act of customer 1001 on the card.
func after(given []Step, path, more string) []Step {
	return slices.Concat(given, []Step{perform(path, more)})
}

// perform is an act of customer 1001 on $card.
func perform(path, more string) Step { return Step{Path: path, Body: act("$card", more)} }

// act is the body of an act of customer 1001 on a card.
func act(card, more string) string {
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"customerId":1001,"cardId":%s%s}`, card, more)
}

// reported is a report of the card processor about the card.
func reported(given []Step, kind string) []Step {
	return slices.Concat(given, []Step{{Report: kind}})
}

// Request is what is sent to the callers' interface.
type Request struct {
	Key, Method, Path, Body string
	Header                  map[string]string
	HTTP10                  bool
}

// Answer is what came back.
type Answer struct {
	Status int
	Body   []byte
}

// Sandbox is where a case is sent.
type Sandbox interface {
	// Send sends a request of a caller.
	Send(ctx context.Context, r Request) (Answer, error)

	// Report has the card processor report about a card.
	Report(ctx context.Context, cardID, kind string) error

	// Fail has the next request of a key for a path fail with a code.
	Fail(ctx context.Context, path, key string, code int) error
}

// Run sends a case, all that it needs before, and returns the last answer and the message that it
// has to have. unique is a text that no other run has.
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

const success = 200 // is the only status of one

// Prepare performs steps and returns the card that they have made, as text.
func Prepare(
	ctx context.Context, given []Step, to Sandbox, unique string,
) (card string, err error) {
	for _, step := range given {
		switch {
		case step.Report != "":
			err = to.Report(ctx, card, step.Report)
		case step.Fails != 0:
			err = to.Fail(ctx, step.Path, DefaultKey, step.Fails)
		default:
			card, err = step.send(ctx, to, card, unique)
		}
		if err != nil {
			return "", err
		}
	}
	return card, nil
}

// send sends the request of a step, and returns what $card is now.
func (s Step) send(
	ctx context.Context, to Sandbox, card, unique string,
) (string, error) {
	answer, err := to.Send(ctx, s.Request(card, unique))
	if err != nil {
		return "", err
	}
	if answer.Status != success {
		return "", fmt.Errorf("%s is answered: %s", s.Path, answer.Body)
	}
	if !s.Makes {
		return card, nil
	}
	id, err := CardIn(answer.Body)
	if err != nil {
		return "", fmt.Errorf("the answer of %s: %w", s.Path, err)
	}
	return strconv.Itoa(id), nil
}

// CardIn returns the cardId in an answer, 0 without one.
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

// Request returns what is sent, with the blanks of its texts filled.
func (c Case) Request(card, unique string) Request {
	return Request{
		c.Key, c.Method, c.Path, c.Body, c.Header, c.HTTP10,
	}.withDefaults(card, unique)
}

// Request returns what is sent, with the blanks of its texts filled.
func (s Step) Request(card, unique string) Request {
	return Request{Path: s.Path, Body: s.Body, Header: s.Header}.withDefaults(card, unique)
}

// withDefaults sets what stands for something else, and what is not given.
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

// PaddingBytes is more than a body may hold.
const PaddingBytes = 64 << 10

// Fill puts what they stand for in the place of $card, $unique and $padding.
func Fill(text, card, unique string) string {
	if !strings.Contains(text, "$") {
		return text
	}
	return strings.NewReplacer(
		"$card", card, "$unique", unique, "$padding", strings.Repeat("0", PaddingBytes),
	).Replace(text)
}
