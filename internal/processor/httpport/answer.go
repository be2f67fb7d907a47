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

// Bounds of what is read and kept of an answer.
const (
	maxAnswer = 16 << 10 // bytes
	maxReason = 200      // runes
)

// answer is the body of an answer to an order.
type answer struct {
	Result string `json:"result"`
	Reason string `json:"reason"`
}

// read says what an HTTP answer means. An answer counts only when status and result agree: a proxy
// on the way answers 200 and 422, too, and knows nothing of the order.
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
		return processor.Answer{}, fmt.Errorf("the card processor answered %d, and its answer "+
			"ended early", response.StatusCode)
	}
	var body answer
	if len(text) > maxAnswer || json.Unmarshal(text, &body) != nil {
		return processor.Answer{}, fmt.Errorf("the card processor answered %d without a result "+
			"that can be read", response.StatusCode)
	}
	outcome := outcomes[response.StatusCode]
	if body.Result != string(outcome) {
		return processor.Answer{}, fmt.Errorf("the card processor answered %d with another result "+
			"than %q", response.StatusCode, outcome)
	}
	return processor.Answer{Outcome: outcome, Reason: body.Reason}, nil
}

// readAgain says what a processor means that has the order already. It may say that it is done.
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

// outcomes are the results that go with a status.
var outcomes = map[int]processor.Outcome{
	http.StatusOK:                  processor.Done,
	http.StatusAccepted:            processor.Accepted,
	http.StatusUnprocessableEntity: processor.Refused,
}

// withoutSecrets returns a reason that can be stored and shown: short, printable, and without what
// a careless processor may repeat of the sealed part.
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
