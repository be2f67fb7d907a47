package api

import (
	"bytes"
	"encoding/json"
	"strconv"

	"mintmark/internal/fault"
	"mintmark/internal/issuing"
	"mintmark/internal/value"
)

// Envelope is what every answer is wrapped in (section 2.1), its members in the order in which
// they are written. Data is absent on failure and where an operation returns nothing.
type Envelope struct {
	Data      any     `json:"data,omitempty"`
	Errors    []Error `json:"errors"`
	RequestID string  `json:"requestId"`
	Status    int     `json:"status"`
}

// Error is one entry of the errors array (section 7).
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// statusOK is the only status of success.
const statusOK = 200

// encode writes the envelope of what a handler returned. An error that is no catalogue fault
// becomes 52998 with the request's identifier; what it says stays in the log.
func encode(requestID string, data any, err error) issuing.Answer {
	if known, fast := data.(appender); fast && err == nil {
		const ordinary = 2 << 10 // most answers fit
		return issuing.Answer{
			HTTP: statusOK, Body: wrap(make([]byte, 0, ordinary), requestID, known),
		}
	}
	envelope := Envelope{Data: data, Errors: []Error{}, RequestID: requestID, Status: statusOK}
	if err != nil {
		faults := faultsOf(requestID, err)
		envelope.Data, envelope.Status = nil, faults[0].HTTP()
		for _, f := range faults {
			envelope.Errors = append(envelope.Errors, Error{f.Code(), f.Message()})
		}
	}
	body, err := marshal(envelope)
	if err != nil {
		// Nothing that an operation answers fails to encode, so this is a mistake of the
		// program. The caller still gets the envelope of an incident.
		return encode(requestID, nil, fault.New(fault.Incident, requestID))
	}
	return issuing.Answer{HTTP: envelope.Status, Body: body}
}

// wrap appends the envelope of a success around what writes itself.
func wrap(to []byte, requestID string, data appender) []byte {
	return closeEnvelope(data.appendJSON(append(to, opening...)), requestID)
}

// opening is what stands before the data of a success.
const opening = `{"data":`

// closeEnvelope appends what stands behind the data of a success.
func closeEnvelope(to []byte, requestID string) []byte {
	body := append(to, `,"errors":[],"requestId":`...)
	body = append(value.AppendText(body, requestID), `,"status":`...)
	return append(strconv.AppendInt(body, statusOK, 10), '}')
}

// faultsOf returns the catalogue faults of an error, or the one for what nobody classified.
func faultsOf(requestID string, err error) fault.List {
	if faults := fault.All(err); len(faults) > 0 {
		return faults
	}
	return fault.List{fault.New(fault.Incident, requestID)}
}

// marshal encodes into a buffer, so that a failure never leaves half an answer. Callers read
// names and messages, not HTML: angle brackets stay as they are.
func marshal(v any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}
