package httpport

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"mintmark/internal/base/pan"
	"mintmark/internal/processor"
)

// Maximum sizes of what is read and stored of a response.
const (
	maxAnswer = 16 << 10 // bytes
	maxReason = 200      // runes
)

// answer is the body of the response to an order.
type answer struct {
	Result string `json:"result"`
	Reason string `json:"reason"`
}

// read interprets an HTTP response. A response counts only if status and result agree: a proxy may
// also respond with 200 or 422, without knowing the order.
func read(response *http.Response) (processor.Answer, error) {
	switch response.StatusCode {
	case http.StatusConflict:
		return readAgain(response.Body), nil
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return processor.Answer{}, fmt.Errorf("%w: it answered %d", processor.ErrUnreachable,
			response.StatusCode)
	case http.StatusOK, http.StatusAccepted, http.StatusUnprocessableEntity:
	default:
		return processor.Answer{}, fmt.Errorf("the card processor answered %d",
			response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return processor.Answer{}, fmt.Errorf("the card processor answered %d, but its answer "+
			"was cut off", response.StatusCode)
	}
	var body answer
	if len(text) > maxAnswer || json.Unmarshal(text, &body) != nil {
		return processor.Answer{}, fmt.Errorf("the card processor answered %d without a readable "+
			"result", response.StatusCode)
	}
	outcome := outcomes[response.StatusCode]
	if body.Result != string(outcome) {
		return processor.Answer{}, fmt.Errorf("the card processor answered %d with a result "+
			"other than %q", response.StatusCode, outcome)
	}
	return processor.Answer{Outcome: outcome, Reason: body.Reason}, nil
}

// readAgain interprets the response of a processor that already has the order. It may say that the
// order is done.
func readAgain(body io.Reader) processor.Answer {
	var first answer
	text, err := io.ReadAll(io.LimitReader(body, maxAnswer))
	if err == nil && json.Unmarshal(text, &first) == nil {
		if outcome := processor.Outcome(first.Result); outcome == processor.Done {
			return processor.Answer{Outcome: outcome}
		}
	}
	return processor.Answer{Outcome: processor.Accepted}
}

// outcomes maps each status to its result.
var outcomes = map[int]processor.Outcome{
	http.StatusOK:                  processor.Done,
	http.StatusAccepted:            processor.Accepted,
	http.StatusUnprocessableEntity: processor.Refused,
}

// withoutSecrets returns a reason that can be stored and shown: short, printable, and without
// anything from the encrypted part that a careless processor may repeat.
func withoutSecrets(reason string, s *processor.Secret) string {
	reason = strings.ToValidUTF8(reason, "")
	if s != nil && s.Pin != nil {
		reason = strings.ReplaceAll(reason, s.Pin.Reveal(), "***")
	}
	reason = pan.Redact(reason)
	reason = strings.Join(strings.FieldsFunc(reason, func(r rune) bool {
		return r <= ' ' || r == 0x7f
	}), " ")
	if runes := []rune(reason); len(runes) > maxReason {
		reason = string(runes[:maxReason])
	}
	return reason
}
