package admin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// once performs a request, or replays its answer if it was performed before. A replayed answer
// lacks the members that are shown only once.
func (d *Desk) once(ctx context.Context, c *call, key string) (Result, error) {
	request, earlier, err := d.acts.BeginOperator(ctx, c.who, c.row.route(), key, c.text())
	if err != nil {
		if earlier == nil {
			return Result{}, err
		}
		return Result{Location: c.locationOf(*earlier), Replayed: true}, err
	}
	if earlier != nil {
		c.request.Sender.Note(slog.Bool("replayed", true))
		return c.replay(*earlier), nil
	}
	defer request.End()
	c.who.Request = request
	result, refusal := c.runOrAsk(ctx)
	answer, err := c.keep(&result, refusal)
	if err != nil {
		return Result{}, err
	}
	answer.Body = withoutSecrets(answer.Body)
	keeping, cancel := storingContext(ctx)
	defer cancel()
	if err := request.Finish(keeping, answer); err != nil {
		return Result{}, err
	}
	return result, refusal
}

// locationOf returns the location in the stored answer to another request with the same key. The
// path of that request is not stored, and may have named another program, bank or webhook: the
// answer says which.
func (c *call) locationOf(earlier issuing.Encoded) string {
	var owner struct {
		ProgramID int `json:"programId"`
		BankID    int `json:"bankId"`
		WebhookID int `json:"webhookId"`
	}
	if json.Unmarshal(earlier.Body, &owner) != nil {
		return ""
	}
	other := *c
	other.params = nil
	if id := cmp.Or(owner.ProgramID, owner.BankID, owner.WebhookID); id != 0 {
		other.params = map[string]string{"id": strconv.Itoa(id)}
	}
	return other.replay(earlier).Location
}

// keepWithin is the time limit for storing the answer of an act.
const keepWithin = 5 * time.Second

// storingContext returns a context for storing the answer of an act after the request's deadline
// may have passed: some acts have none.
func storingContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), keepWithin)
}

// keep returns an answer in the form in which it is stored. It returns an error for an answer that
// is not stored.
func (c *call) keep(result *Result, err error) (issuing.Encoded, error) {
	if err == nil {
		response, err := result.Response()
		return issuing.Encoded{Status: response.Status, Body: response.Body}, err
	}
	refusal := (*web.Problem)(nil)
	err = c.explained(problemOf(err))
	if !errors.As(err, &refusal) || !isKept(refusal.Status) {
		return issuing.Encoded{}, err
	}
	return issuing.Encoded{Status: refusal.Status, Body: append(refusal.JSON(), '\n')}, nil
}

// isKept reports whether a rejection is stored for replay: the same request would be rejected
// again.
func isKept(status int) bool {
	return status == http.StatusAccepted || status == http.StatusConflict ||
		status == http.StatusUnprocessableEntity
}

// text returns everything that determines the effect of a request.
func (c *call) text() []byte {
	var text []byte
	for _, part := range []string{
		wire.Prefix + c.request.Path, c.query.Encode(), c.request.IfMatch, string(c.body),
	} {
		text = fmt.Appendf(text, "%d %s", len(part), part)
	}
	return text
}

// replay returns a stored answer.
func (c *call) replay(earlier issuing.Encoded) Result {
	raw := web.Response{Status: earlier.Status, Body: earlier.Body}
	if len(earlier.Body) > 0 {
		raw.ContentType = web.JSONType
	}
	result := Result{Status: earlier.Status, Raw: &raw, Replayed: true}
	if earlier.Status == http.StatusAccepted || earlier.Status >= 400 {
		raw.ContentType = web.ProblemType
		approval := web.Problem{}
		if json.Unmarshal(earlier.Body, &approval) == nil && approval.ApprovalID != 0 {
			result.Location = approvalLocation(approval.ApprovalID)
		}
		return result
	}
	var resource struct {
		ID       json.RawMessage `json:"id"`
		Revision int             `json:"revision"`
	}
	if json.Unmarshal(earlier.Body, &resource) != nil {
		return result
	}
	result.Revision = resource.Revision
	if c.row.Status == http.StatusCreated && len(resource.ID) > 0 {
		result.Location = c.location(strings.Trim(string(resource.ID), `"`))
	}
	return result
}

// shownOnce are the members of answers that are shown only once. They are never stored, and no
// other operator sees those of a request body.
var shownOnce = []string{"secret", "secrets", "token", "link", "password"}

// withoutSecrets removes the members that are shown only once.
func withoutSecrets(text []byte) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return text
	}
	for _, name := range shownOnce {
		if _, has := members[name]; has {
			text = withoutMember(text, name)
		}
	}
	return text
}
