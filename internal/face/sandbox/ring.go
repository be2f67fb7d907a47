package sandbox

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	wire "mintmark/client/sandbox"
	"mintmark/internal/base/pan"
	"mintmark/internal/face/web"
)

// maxRequests is how many requests are kept. Of a body and of an answer maxText bytes are kept,
// or maxLooked for a minute after an operator has read the record: a request only pays for the
// copy.
const (
	maxRequests = 200
	maxText     = 2 << 10
	maxLooked   = 16 << 10
	lookTime    = time.Minute
)

// Requests are the last requests of callers with their answers: a ring of slots that keep their
// memory. What is secret in them leaves the ring masked only, through After and Find. They belong
// to a world, and are wiped when another is put in its place.
type Requests struct {
	url func() string // of the callers' interface, for commands

	mu     sync.Mutex
	ring   [maxRequests]slot // a request has the slot of its identifier modulo maxRequests
	last   int64             // identifier given last
	looked time.Time
}

var _ web.Recorder = (*Requests)(nil)

// slot holds a request as it came, but for its credentials.
type slot struct {
	id           int64 // 0 in an empty slot
	began        time.Time
	took         time.Duration
	method, path string
	key          string // name of the key, as the request claims it
	secretIsName bool   // as in the demo data
	headers      []header
	body, answer text
	status, code int // 0 for a closed connection, and without a fault
	requestID    string
	fault        string // identifier of the rule that made it fail
}

// header is a header of a request. Only one of shownHeaders has a value.
type header struct{ name, value string }

// text is a copy of a text, or of its beginning.
type text struct {
	kept  []byte
	isCut bool
}

func (t *text) keep(all []byte, most int) {
	t.isCut = len(all) > most
	t.kept = append(t.kept[:0], all[:min(len(all), most)]...)
}

// NewRequests returns an empty record. The URL is where commands send requests to.
func NewRequests(url func() string) *Requests { return &Requests{url: url} }

// Record keeps a request with its answer, in place of the oldest.
func (r *Requests) Record(x *web.Exchange, status int, answer []byte) {
	var of slot
	of.status, of.requestID = status, x.ID
	if len(x.Codes) > 0 {
		of.code = x.Codes[0]
	}
	if len(x.Rules) > 0 {
		of.fault = x.Rules[len(x.Rules)-1]
	}
	r.add(x.Request, x.Began(), of, x.Body, answer)
}

// Unanswered keeps a request whose client has gone before it was looked at.
func (r *Requests) Unanswered(request *http.Request) { r.add(request, time.Now(), slot{}, nil, nil) }

func (r *Requests) add(request *http.Request, began time.Time, of slot, body, answer []byte) {
	name, secret, _ := request.BasicAuth()
	of.began, of.method, of.path = began, request.Method, strings.Clone(request.URL.RequestURI())
	// The name is a part of the text that the secret is in.
	of.key, of.secretIsName = strings.Clone(name), name != "" && name == secret

	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	most := maxText
	if now.Sub(r.looked) < lookTime {
		most = maxLooked
	}
	r.last++
	in := &r.ring[r.last%maxRequests]
	of.id, of.took = r.last, now.Sub(began)
	of.headers, of.body, of.answer = in.headers[:0], in.body, in.answer
	for name, values := range request.Header {
		kept := header{name: name}
		if slices.Contains(shownHeaders, name) {
			kept.value = strings.Join(values, ", ")
		}
		of.headers = append(of.headers, kept)
	}
	of.body.keep(body, most)
	of.answer.keep(answer, most)
	*in = of
}

// Wipe forgets all requests. Identifiers are not given again.
func (r *Requests) Wipe() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.ring {
		for _, s := range []text{r.ring[i].body, r.ring[i].answer} {
			clear(s.kept[:cap(s.kept)])
		}
		r.ring[i] = slot{}
	}
}

// After returns the requests behind one, the newest first. Behind 0 are all that are kept.
func (r *Requests) After(id int64) []wire.Request {
	newest := r.look()
	shown := []wire.Request{}
	for ; newest > id; newest-- {
		request, known := r.Find(newest)
		if !known {
			break
		}
		shown = append(shown, request)
	}
	return shown
}

// Find returns one request, and false when it is no longer kept.
func (r *Requests) Find(id int64) (wire.Request, bool) {
	r.look()
	s, known := r.copyOf(id)
	if !known {
		return wire.Request{}, false
	}
	return s.show(r.url()), true
}

// look notes that somebody looks, and returns the identifier of the newest request.
func (r *Requests) look() (newest int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.looked = time.Now()
	return r.last
}

// copyOf is a copy of a slot, so that requests need not wait until it is masked.
func (r *Requests) copyOf(id int64) (slot, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.ring[max(id, 0)%maxRequests]
	of.headers = slices.Clone(of.headers)
	of.body.kept, of.answer.kept = bytes.Clone(of.body.kept), bytes.Clone(of.answer.kept)
	return of, id > 0 && of.id == id
}

// show returns a request as it may be seen.
func (s slot) show(server string) wire.Request {
	shown := wire.Request{
		ID: s.id, At: s.began, Key: cut(pan.Mask(visible(s.key)), maxName),
		Method: visible(s.method), Path: pan.Mask(visible(s.path)),
		Headers: maskedHeaders(s.headers), Body: s.body.masked(), Status: s.status,
		Took: s.took.Round(time.Microsecond).String(), Fault: s.fault,
	}
	if s.status != 0 {
		shown.Answer = s.answer.masked()
		shown.Code, shown.RequestID = envelopeOf(s.answer.kept)
	}
	if s.status != 0 && shown.RequestID == "" { // the answer is cut
		shown.Code, shown.RequestID = s.code, s.requestID
	}
	credentials := ""
	if s.key != "" {
		credentials = shown.Key + ":" + hidden
	}
	if s.secretIsName {
		credentials = shown.Key + ":" + shown.Key
	}
	shown.Curl = curl(server, credentials, shown)
	return shown
}
