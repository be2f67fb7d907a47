package admin

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// once performs a request unless it was performed before, and then gives the same answer again,
// without what is shown once.
func (f *Face) once(ctx context.Context, c *call, key string) (web.Response, error) {
	request, earlier, err := f.acts.BeginOperator(ctx, c.who, c.exchange.Route, key, c.digest())
	if err != nil {
		return web.Response{}, err
	}
	if earlier != nil {
		return c.replay(*earlier), nil
	}
	defer request.End()
	c.who.Request = request
	response, refusal := c.answer(ctx)
	answer := issuing.Encoded{Status: response.Status, Body: withoutSecrets(response.Body)}
	if refusal != nil {
		refusal = problemOf(refusal)
		told := (*web.Problem)(nil)
		if !errors.As(refusal, &told) || !keeps(told.Status) {
			return web.Response{}, refusal
		}
		copied := *told
		copied.RequestID = c.exchange.ID
		copied.Explain(c.exchange)
		answer = issuing.Encoded{Status: told.Status, Body: append(copied.JSON(), '\n')}
	}
	if err := request.Finish(ctx, answer); err != nil {
		return web.Response{}, err
	}
	return response, refusal
}

// keeps reports whether a refusal is given again: one that the same request would meet again.
func keeps(status int) bool {
	return status == http.StatusAccepted || status == http.StatusConflict ||
		status == http.StatusUnprocessableEntity
}

// digest is of all that a request asks for.
func (c *call) digest() []byte {
	asked := sha256.New()
	for _, part := range []string{c.exchange.Request.URL.EscapedPath(), c.query.Encode(),
		c.exchange.Request.Header.Get("If-Match"), string(c.body)} {
		fmt.Fprintf(asked, "%d %s", len(part), part)
	}
	return asked.Sum(nil)
}

// replay gives an answer again.
func (c *call) replay(earlier issuing.Encoded) web.Response {
	c.exchange.Header.Set("Idempotency-Replayed", "true")
	c.exchange.Note(slog.Bool("replayed", true))
	if earlier.Status == http.StatusAccepted || earlier.Status >= 400 {
		return web.Response{
			Status: earlier.Status, ContentType: web.ProblemType, Body: earlier.Body,
		}
	}
	c.describe(earlier.Body)
	return web.Response{
		Status: earlier.Status, ContentType: web.JSONType, Body: earlier.Body,
	}
}

// shownOnce are the members of answers that are shown once: they are not kept, and those of bodies
// that no other operator is shown.
var shownOnce = []string{"secret", "token", "link", "password"}

// withoutSecrets returns an object without what is shown once.
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
