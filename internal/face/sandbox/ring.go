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

// maxRequests is the capacity of the ring. Of each body and answer maxText bytes are stored, or
// maxLooked during lookTime after an operator has read the record: a request pays only for the
// copy.
const (
	maxRequests = 200
	maxText     = 2 << 10
	maxLooked   = 16 << 10
	lookTime    = time.Minute
)

// Requests stores the last requests of callers with their answers, in a ring of slots that reuse
// their memory. Secrets in them leave the ring only masked, through After and Find. The ring is
// wiped when a reset or a restore replaces the data.
type Requests struct {
	url func() string // address of the callers' interface, for commands

	mu     sync.Mutex
	ring   [maxRequests]slot // a request is in the slot of its id modulo maxRequests
	last   int64             // last id assigned
	looked time.Time
}

var _ web.Recorder = (*Requests)(nil)

// slot holds a request as received, except for its credentials.
type slot struct {
	id           int64 // 0 if the slot is empty
	began        time.Time
	took         time.Duration
	method, path string
	key          string // name of the key, as the request claims it
	secretIsName bool   // the secret equals the name, as in the demo data
	headers      []header
	body, answer text
	status, code int // status 0: connection closed; code 0: no fault
	requestID    string
	fault        string // ID of the fault rule that failed the request
}

// header is a header of a request. It has a value only if it is in shownHeaders.
type header struct{ name, value string }

// text is a copy of a text or of its beginning.
type text struct {
	kept  []byte
	isCut bool
}

func (t *text) keep(all []byte, most int) {
	t.isCut = len(all) > most
	t.kept = append(t.kept[:0], all[:min(len(all), most)]...)
}

// NewRequests returns an empty ring. The function url returns the address to use in commands.
func NewRequests(url func() string) *Requests { return &Requests{url: url} }

// Record stores a request with its answer, replacing the oldest.
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

// Unanswered stores a request whose client disconnected before the request was handled.
func (r *Requests) Unanswered(request *http.Request) { r.add(request, time.Now(), slot{}, nil, nil) }

func (r *Requests) add(request *http.Request, began time.Time, of slot, body, answer []byte) {
	name, secret, _ := request.BasicAuth()
	of.began, of.method, of.path = began, request.Method, strings.Clone(request.URL.RequestURI())
	// The name shares memory with the secret, hence the clone.
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

// Wipe removes all requests. Ids are not reused.
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

// After returns at most limit of the newest stored requests after an id, newest first.
func (r *Requests) After(id int64, limit int) []wire.Request {
	newest := r.look()
	shown := []wire.Request{}
	for ; newest > id && len(shown) < limit; newest-- {
		request, known := r.Find(newest)
		if !known {
			break
		}
		shown = append(shown, request)
	}
	return shown
}

// Find returns a request, and false if it is no longer stored.
func (r *Requests) Find(id int64) (wire.Request, bool) {
	r.look()
	s, known := r.copyOf(id)
	if !known {
		return wire.Request{}, false
	}
	return s.show(r.url()), true
}

// look records that an operator reads the ring, and returns the id of the newest request.
func (r *Requests) look() (newest int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.looked = time.Now()
	return r.last
}

// copyOf copies a slot, so that requests need not wait for the masking.
func (r *Requests) copyOf(id int64) (slot, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.ring[max(id, 0)%maxRequests]
	of.headers = slices.Clone(of.headers)
	of.body.kept, of.answer.kept = bytes.Clone(of.body.kept), bytes.Clone(of.answer.kept)
	return of, id > 0 && of.id == id
}

// show returns a request in displayable form.
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
	if s.status != 0 && shown.RequestID == "" { // the answer was cut
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
