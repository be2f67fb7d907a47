package api

import (
	"context"
	"log/slog"

	"mintmark/internal/domain/fault"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// keyMalformed is a remark of 59956; this implementation's choice.
const keyMalformed = "1 to 255 visible ASCII characters are required."

// idempotencyKey returns the idempotency key of a request with a body (this implementation's
// extension).
func (c *call) idempotencyKey() (key string, given bool, err error) {
	if c.route.Request == nil {
		return "", false, nil
	}
	key, given, valid := web.IdempotencyKey(c.Request.Header["Idempotency-Key"])
	if !valid {
		return "", true, fault.New(fault.ValueNotAcceptable, "Idempotency-Key", keyMalformed)
	}
	return key, given, nil
}

// actOnce performs a request, or replays the answer if it was performed before.
func (s *Server) actOnce(ctx context.Context, c *call, key string) (web.Response, error) {
	request, earlier, err := s.service.Begin(ctx, c.who, key, c.body, c.route.encode(c.ID))
	if err != nil {
		return web.Response{}, err
	}
	if earlier != nil {
		return c.replay(earlier), nil
	}
	defer request.End()
	c.who.Idempotency = request
	response, refusal := c.act(ctx)
	answer := issuing.Encoded{Status: response.Status, Body: response.Body}
	if refusal != nil {
		_, answer = encodeProblem(c.ID, refusal)
	}
	earlier, err = request.Finish(ctx, answer, refusal)
	if err != nil {
		return web.Response{}, err
	}
	if earlier != nil {
		return c.replay(earlier), nil
	}
	return response, refusal
}

// replay returns a stored answer.
func (c *call) replay(earlier *issuing.Encoded) web.Response {
	c.Header.Set("Idempotency-Replayed", "true")
	c.Note(slog.Bool("replayed", true))
	return web.Response{Status: earlier.Status, ContentType: contentType, Body: earlier.Body}
}
