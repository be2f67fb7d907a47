package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mintmark/internal/domain/fault"
	"mintmark/internal/face/injection"
	"mintmark/internal/face/web"
)

// target returns what fault rules see of a request before any check.
func (s *Server) target(x *web.Exchange) injection.Target {
	var target injection.Target
	if segments, err := pathSegments(x.Request.URL); err == nil {
		target.Route, target.Sent = s.router.lookup(segments)
	}
	target.Key, _, _ = basicCredentials(x.Request.Header.Get("Authorization"))
	target.Value = func(blank string) (string, bool) { return x.ID, blank == "incidentId" }
	return target
}

// onTrial gives the fault rules access to the call, and its act access to the fault rules.
func (c *call) onTrial() {
	if c.trial == nil {
		return
	}
	c.trial.Describe(c.valueOf)
	c.who.Trial = c.trial
}

// act performs the act of a request unless a fault rule fails it. A changing act has already
// applied the rules in its transaction, where a failure rolls everything back.
func (c *call) act(ctx context.Context) (web.Response, error) {
	response, err := c.route.do(ctx, c)
	if err == nil && c.route.Request != nil {
		return response, nil
	}
	if refused := c.trial.Outcome(err); refused != nil {
		release(response)
		return web.Response{}, refused
	}
	return response, err
}

// valueOf returns the request's value for a name, as sent.
func (c *call) valueOf(name string) (text string, told bool) {
	switch name {
	case "incidentId":
		return c.ID, true
	case "programId":
		return strconv.Itoa(c.who.ProgramID), true
	}
	if at := slices.Index(c.route.Parameters, name); at >= 0 && c.parameters[at] != "" {
		return c.parameters[at], true
	}
	if values := c.query[strings.ToLower(name)]; len(values) > 0 {
		return values[0], true
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(c.body, &members) != nil {
		return "", false
	}
	for _, member := range slices.Sorted(maps.Keys(members)) {
		if !strings.EqualFold(member, name) {
			continue
		}
		value := members[member]
		if json.Unmarshal(value, &text) == nil {
			return strings.TrimSpace(text), true
		}
		return string(value), true
	}
	return "", false
}

// endTrial ends the trial of a handled request: the answer is sent, or lost on purpose.
func endTrial(
	ctx context.Context, x *web.Exchange, trial *injection.Trial, response web.Response, err error,
) (web.Response, error) {
	used, ended := trial.End(ctx)
	x.Rules = used
	if len(used) > 0 {
		x.Note(slog.Any("faultRules", used))
	}
	if ended != nil {
		release(response)
		err = ended
	}
	switch {
	case errors.Is(err, injection.ErrDropped):
		return web.Response{}, web.ErrHangUp
	case errors.Is(err, context.DeadlineExceeded) && fault.All(err) == nil:
		return web.Response{}, errors.Join(fault.New(fault.GatewayTimeout), err)
	case err != nil:
		return web.Response{}, err
	}
	return response, nil
}

// release releases the memory of an answer that is not sent.
func release(response web.Response) {
	if response.Owner != nil {
		response.Owner.Release()
	}
}
