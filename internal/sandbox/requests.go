package sandbox

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	wire "mintmark/client/sandbox"
	"mintmark/internal/web"
)

// mostRequests is how many requests are kept, and mostText how much of a body is shown, in bytes.
const (
	mostRequests = 200
	mostText     = 16 << 10
	mostName     = 100 // of a key, which may be any text
)

// Requests are the last requests of callers with their answers, without what is secret in them. A
// reset leaves them as they are: they are what was asked, not what there is.
type Requests struct {
	url func() string // of the callers' interface, for commands

	mu   sync.Mutex
	kept []wire.Request // the oldest first
	last int64
}

// NewRequests returns an empty record. The URL is where commands send requests to.
func NewRequests(url func() string) *Requests { return &Requests{url: url} }

// Handler records what a handler answers. An answer is kept before it is sent, so a caller who has
// read it finds it in the record.
func (r *Requests) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, asked *http.Request) {
		o := &observed{asked: asked, began: time.Now(), writer: w, header: asked.Header.Clone()}
		request := asked.WithContext(context.WithValue(asked.Context(), observedKey{}, o))
		if asked.Body != nil && asked.Body != http.NoBody {
			request.Body = &readBody{asked.Body, o}
		}
		defer func() {
			// A handler that closes the connection panics.
			cause := recover()
			o.closed = cause != nil
			r.add(o)
			if cause != nil {
				panic(cause)
			}
			o.send()
		}()
		next.ServeHTTP(o, request)
	})
}

func (s *Controls) requestRoutes() []route {
	return []route{
		get("requests", func(_ context.Context, c *call) (wire.List[wire.Request], error) {
			var found wire.List[wire.Request]
			asked := c.Request.URL.Query().Get("after")
			after, err := strconv.ParseInt(cmp.Or(asked, "0"), 10, 64)
			if err != nil || after < 0 {
				return found, invalid("after", "must be the number of a request")
			}
			found.Items = s.Requests.After(after)
			return found, nil
		}),
		get("requests/{id}", func(_ context.Context, c *call) (wire.Request, error) {
			id, err := strconv.ParseInt(c.params["id"], 10, 64)
			if err != nil {
				return wire.Request{}, web.NotFound()
			}
			found, known := s.Requests.Find(id)
			if !known {
				return wire.Request{}, web.NotFound()
			}
			return found, nil
		}),
	}
}

// After returns the requests behind one, the newest first. Behind 0 are all that are kept.
func (r *Requests) After(id int64) []wire.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	from := len(r.kept) - int(min(max(r.last-id, 0), int64(len(r.kept))))
	newest := slices.Clone(r.kept[from:])
	slices.Reverse(newest)
	return newest
}

// Find returns one request, and false when it is no longer kept.
func (r *Requests) Find(id int64) (wire.Request, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := len(r.kept) - 1 - int(min(max(r.last-id, -1), mostRequests))
	if at < 0 || at >= len(r.kept) {
		return wire.Request{}, false
	}
	return r.kept[at], true
}

// add keeps a request that was answered, in place of the oldest.
func (r *Requests) add(o *observed) {
	name, secret, _ := o.asked.BasicAuth()
	sent := wire.Request{
		At: o.began, Key: maskedNumbers(cut(shown(name), mostName)), Method: shown(o.asked.Method),
		Path: maskedNumbers(shown(o.asked.URL.RequestURI())), Headers: maskedHeaders(o.header),
		Body: cut(maskedBody(o.body.Bytes()), mostText), Took: o.took().String(), Fault: o.fault,
	}
	if !o.closed {
		sent.Status = cmp.Or(o.status, http.StatusOK)
		sent.Answer = cut(maskedBody(o.answer.Bytes()), mostText)
		sent.Code, sent.RequestID = told(o.answer.Bytes())
	}
	credentials := ""
	if name != "" {
		credentials = sent.Key + ":" + hidden
	}
	if name == secret { // as those of the demo data are
		credentials = sent.Key + ":" + sent.Key
	}
	sent.Curl = curl(r.url(), credentials, sent)

	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	sent.ID = r.last
	if len(r.kept) == mostRequests {
		r.kept = slices.Delete(r.kept, 0, 1)
	}
	r.kept = append(r.kept, sent)
}

// told is what the envelope of an answer says: the first code, and the identifier of the request.
func told(text []byte) (code int, requestID string) {
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

// cut is a text of at most so many bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// repeated are the headers that a command repeats. curl makes the others itself.
var repeated = []string{"Content-Type", "Idempotency-Key", "X-Request-Id"}

// curl is a request as a command. What is masked has to be filled in.
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

// plainWord matches what a shell takes as it stands.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9@%+=:,./_-]+$`)

// quoted is a word of a command, for a POSIX shell.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
