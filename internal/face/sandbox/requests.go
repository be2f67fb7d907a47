package sandbox

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	wire "mintmark/client/sandbox"
	"mintmark/internal/face/web"
)

func (s *Controls) requestRoutes() []route {
	return []route{
		get("requests", func(_ context.Context, c *call) (wire.List[wire.Request], error) {
			query := c.Request.URL.Query()
			after, err := strconv.ParseInt(cmp.Or(query.Get("after"), "0"), 10, 64)
			if err != nil || after < 0 {
				return wire.List[wire.Request]{}, invalid("after", "must be the number of a request")
			}
			limit := maxRequests
			if text := query.Get("limit"); text != "" {
				if limit, err = strconv.Atoi(text); err != nil || limit < 1 {
					return wire.List[wire.Request]{}, invalid("limit", "must be a positive number")
				}
			}
			return wire.List[wire.Request]{Items: s.Requests.After(after, limit)}, nil
		}),
		get("requests/{id}", func(_ context.Context, c *call) (wire.Request, error) {
			id, err := strconv.ParseInt(c.params["id"], 10, 64)
			if err != nil {
				return wire.Request{}, web.NotFound()
			}
			request, known := s.Requests.Find(id)
			if !known {
				return wire.Request{}, web.NotFound()
			}
			return request, nil
		}),
	}
}

// envelopeOf returns the first code of an answer and the request id.
func envelopeOf(text []byte) (code int, requestID string) {
	var envelope struct {
		Errors []struct {
			Code int `json:"code"`
		} `json:"errors"`
		RequestID string `json:"requestId"`
	}
	if err := json.Unmarshal(text, &envelope); err != nil {
		return 0, ""
	}
	if len(envelope.Errors) > 0 {
		code = envelope.Errors[0].Code
	}
	return code, envelope.RequestID
}

// repeated lists the headers that a curl command repeats. curl sets the others itself.
var repeated = []string{"Content-Type", "Idempotency-Key", "X-Request-Id"}

// curl returns a request as a curl command. The reader has to fill in what is masked.
func curl(server, credentials string, sent wire.Request) string {
	words := []string{"curl", "-sS", "-i", "--path-as-is", "-X", quoted(sent.Method)}
	if sent.Method == http.MethodHead {
		words = []string{"curl", "-sS", "--path-as-is", "-I"}
	}
	words = append(words, quoted(server+sent.Path))
	if credentials != "" {
		words = append(words, "-u", quoted(credentials))
	}
	for _, name := range repeated {
		if value, given := sent.Headers[name]; given {
			words = append(words, "-H", quoted(name+": "+value))
		}
	}
	if sent.Body != "" {
		words = append(words, "--data-raw", quoted(sent.Body))
	}
	return strings.Join(words, " ")
}

// plainWord matches a word that a shell needs no quotes for.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9@%+=:,./_-]+$`)

// quoted quotes a word for a POSIX shell.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
