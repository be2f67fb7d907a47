package otlp

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Fields of ExportTraceServiceResponse, and of the ExportTracePartialSuccess in it.
const (
	partialSuccess protowire.Number = 1

	rejectedSpans protowire.Number = 1
	errorMessage  protowire.Number = 2
)

// rejected returns an error for the spans that a successful response rejects, or for its warning.
func rejected(answer []byte) error {
	spans, message := uint64(0), ""
	err := fields(answer, func(number protowire.Number, _ uint64, part []byte) error {
		if number != partialSuccess {
			return nil
		}
		return fields(part, func(number protowire.Number, value uint64, text []byte) error {
			switch number {
			case rejectedSpans:
				spans = value
			case errorMessage:
				message = string(text)
			}
			return nil
		})
	})
	switch {
	case err != nil:
		return err
	case spans == 0 && message == "":
		return nil
	}
	return fmt.Errorf("the collector rejected %d spans: %s", spans, excerpt([]byte(message)))
}

// fields calls a function with each field of a message: a number, or bytes.
func fields(message []byte, visit func(protowire.Number, uint64, []byte) error) error {
	for len(message) > 0 {
		number, kind, length := protowire.ConsumeTag(message)
		if length < 0 {
			return errAnswer
		}
		message = message[length:]
		var value uint64
		var part []byte
		switch kind {
		case protowire.VarintType:
			value, length = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			part, length = protowire.ConsumeBytes(message)
		default:
			length = protowire.ConsumeFieldValue(number, kind, message)
		}
		if length < 0 {
			return errAnswer
		}
		if err := visit(number, value, part); err != nil {
			return err
		}
		message = message[length:]
	}
	return nil
}

var errAnswer = errors.New("the collector's response is not valid protobuf")
