package web

import (
	"io"
	"time"
)

// Recorder receives each answer just before it is sent.
type Recorder interface {
	// Record receives an exchange with the status and body of its answer, or with the first part of
	// a streamed body. Status 0 means that the connection is closed without an answer. Record must
	// not retain the body.
	Record(x *Exchange, status int, body []byte)
}

// Record sets the recorder of all answers except those of Pages. It must be called before the host
// serves.
func (h *Host) Record(recorder Recorder) { h.recorder = recorder }

// Began returns the wall-clock time at which the request arrived.
func (x *Exchange) Began() time.Time { return x.started }

// send records and sends an answer.
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

// recordedStream returns a stream that records its first part before it writes it.
func recordedStream(stream func(to io.Writer), record func(body []byte)) func(to io.Writer) {
	return func(to io.Writer) {
		first := &firstPart{to: to, record: record}
		stream(first)
		first.begin(nil)
	}
}

// firstPart records the first part that is written to another writer.
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
