// Package trigger provokes an error of the catalogue in a running sandbox. It sends a case of
// package ledger with the steps that the case needs first, and undoes what can be undone; or it
// prints the case as commands for a shell. Package cli holds the command.
package trigger

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"mintmark/client/sandbox"
	"mintmark/internal/cli/ledger"
	"mintmark/internal/domain/fault"
)

// ErrOther is wrapped by the error of a request whose response has another code.
var ErrOther = errors.New("unexpected answer from the sandbox")

// maxAnswerBytes is far above the length of any response.
const maxAnswerBytes = 1 << 20

// timeout is longer than any response of a sandbox takes.
const timeout = time.Minute

// Find returns the cases that provoke a code, one for each meaning of the code. A route that is not
// empty selects among them.
func Find(code int, route string) []ledger.Case {
	var cases []ledger.Case
	for _, c := range ledger.Triggers() {
		if fault.Lookup(c.Kind).Code == code && (route == "" || route == c.Path) {
			cases = append(cases, c)
		}
	}
	return cases
}

// Sandbox sends requests to both addresses of a running sandbox.
type Sandbox struct {
	url, adminURL string
	http          *http.Client
	face          *sandbox.Client
}

// Reach returns the sandbox at the addresses for callers and operators.
func Reach(url, adminURL string) *Sandbox {
	return &Sandbox{
		strings.TrimRight(url, "/"), strings.TrimRight(adminURL, "/"),
		&http.Client{Timeout: timeout}, sandbox.New(adminURL),
	}
}

// unique returns a text that no other run uses.
func unique() string {
	const enough = 10 // characters
	return strings.ToLower(rand.Text()[:enough])
}

// Run sends a case, undoes what the case created, and returns the response. The error wraps
// ErrOther if the response lacks the code of the case.
func (s *Sandbox) Run(ctx context.Context, c ledger.Case) (answer []byte, err error) {
	r := &run{Sandbox: s}
	got, want, err := c.Run(ctx, r, unique())
	if err := errors.Join(err, r.undo(ctx)); err != nil {
		return got.Body, err
	}
	code := fmt.Appendf(nil, `{"code":%d,"message":"`, fault.Lookup(c.Kind).Code)
	if !bytes.Contains(got.Body, code) {
		return got.Body, fmt.Errorf("%w, want %s%s", ErrOther, code, want)
	}
	return got.Body, nil
}

// run is one run of a case.
type run struct {
	*Sandbox
	made  []int    // cards to archive
	rules []string // fault rules to delete
}

// Send sends a request of a caller.
func (r *run) Send(ctx context.Context, sent ledger.Request) (ledger.Answer, error) {
	request, err := http.NewRequestWithContext(
		ctx, sent.Method, r.url+sent.Path, strings.NewReader(sent.Body))
	if err != nil {
		return ledger.Answer{}, err
	}
	if sent.Key != ledger.Anonymous {
		request.SetBasicAuth(sent.Key, sent.Key)
	}
	for name, value := range sent.Header {
		request.Header.Set(name, value)
	}
	send := r.http.Do
	if sent.HTTP10 {
		send = sendHTTP10
	}
	response, err := send(request)
	if err != nil {
		return ledger.Answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	if err != nil {
		return ledger.Answer{}, err
	}
	answer := ledger.Answer{Status: response.StatusCode, Body: body}
	r.note(sent, answer)
	return answer, nil
}

// note records the card that a request created.
func (r *run) note(sent ledger.Request, answer ledger.Answer) {
	card, err := ledger.CardIn(answer.Body)
	makes := sent.Path == "/card/initiate" || sent.Path == "/card/reissue"
	if err == nil && makes && card != 0 && !slices.Contains(r.made, card) {
		r.made = append(r.made, card)
	}
}

// Report makes the simulated card processor send a report about a card.
func (r *run) Report(ctx context.Context, card, kind string) error {
	_, err := sandbox.Do[struct{}](ctx, r.face, http.MethodPost, "cards/"+card+"/reports",
		sandbox.Report{Kind: kind})
	return err
}

// Fail adds a fault rule: the next request with the key for the path fails with the code.
func (r *run) Fail(ctx context.Context, path, key string, code int) error {
	rule, err := sandbox.Do[sandbox.Fault](ctx, r.face, http.MethodPost, "faults",
		sandbox.Fault{Route: path, Key: key, Code: code, Times: 1})
	if err == nil {
		r.rules = append(r.rules, rule.ID)
	}
	return err
}

// undo deletes the fault rules of a run and archives its cards, which releases their nicknames.
func (r *run) undo(ctx context.Context) error {
	var errs []error
	for _, id := range r.rules {
		_, err := sandbox.Do[struct{}](ctx, r.face, http.MethodDelete, "faults/"+id, nil)
		errs = append(errs, err)
	}
	for _, card := range slices.Clone(r.made) {
		answer, err := r.Send(ctx, ledger.Step{
			Path: "/card/archive", Body: ledger.Act(card, ""),
		}.Request("", ""))
		if err == nil && answer.Status != http.StatusOK {
			err = fmt.Errorf("archive card %s: %s", strconv.Itoa(card), answer.Body)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
