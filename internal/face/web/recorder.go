package web

import (
	"io"
	"time"
)

// Recorder is handed each answer just before anything of it is sent.
type Recorder interface {
	// Record is handed an exchange with the status and the body of its answer, of a streamed one
	// the part that is sent first. Status 0 stands for a connection that is closed without an
	// answer. The body may not be used after Record has returned.
	Record(x *Exchange, status int, body []byte)
}

// Record has a recorder handed each answer from now on, but for those of Pages. It is called before
// the host serves.
func (h *Host) Record(recorder Recorder) { h.recorder = recorder }

// Began is when the request came, on the clock of the wall.
func (x *Exchange) Began() time.Time { return x.started }

// send hands an answer to the recorder and sends it.
func (h *Host) send(x *Exchange, response Response) {
	if h.recorder != nil && !response.written {
		record := func(body []byte) { h.recorder.Record(x, response.Status, body) }
		if response.Stream == nil {
			record(response.Body)
		} else {
			response.Stream = recordedStream(response.Stream, record)
		}
	}
	x.send(response)
}

// recordedStream is a stream whose first part is recorded before it is written.
func recordedStream(stream func(to io.Writer), record func(body []byte)) func(to io.Writer) {
	return func(to io.Writer) {
		first := &firstPart{to: to, record: record}
		stream(first)
		first.begin(nil)
	}
}

// firstPart writes to another writer, and records what is written first.
type firstPart struct {
	to     io.Writer
	record func(body []byte)
	begun  bool
}

func (p *firstPart) begin(body []byte) {
	if !p.begun {
		p.begun = true
		p.record(body)
	}
}

// Write writes a part.
func (p *firstPart) Write(body []byte) (int, error) {
	p.begin(body)
	return p.to.Write(body)
}
