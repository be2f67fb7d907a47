package openapi

import (
	"fmt"
	"slices"

	"mintmark/internal/domain/fault"
	"mintmark/internal/face/api"
)

// anyFaults lists the faults of every operation (interface §7.2). The last one answers a request
// that is not HTTP.
var anyFaults = []fault.Kind{
	fault.Unauthorized, fault.AddressNotTrusted, fault.RateExceeded, fault.Incident,
	fault.NotImplemented, fault.Unavailable, fault.GatewayTimeout, fault.HTTPVersion,
	fault.BodyUnreadable,
}

// bodyFaults lists the faults of every operation that reads a body, including 59956 for the
// idempotency key.
var bodyFaults = findBodyFaults()

func findBodyFaults() []fault.Kind {
	const group = 599 // body codes are 59900 to 59999
	var kinds []fault.Kind
	for _, e := range fault.Entries() {
		if e.Code/100 == group && e.Reserved == "" {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}

// faults returns all faults of an operation: its own, then those of every request.
func (f form) faults() []fault.Kind {
	kinds := slices.Concat(f.Faults, anyFaults)
	if f.LastVersion != 0 {
		kinds = append(kinds, fault.RouteUnknown)
	}
	if f.Request != nil {
		kinds = append(kinds, bodyFaults...)
	}
	return kinds
}

// AnsweredBy returns the operations that may return a fault, for the manual.
func AnsweredBy(kind fault.Kind) []string {
	switch {
	case kind == fault.RouteUnknown, kind == fault.MethodNotAllowed:
		return []string{"any request that fits no operation"}
	case slices.Contains(anyFaults, kind):
		return []string{"every operation"}
	}
	var operations []string
	reads := slices.Contains(bodyFaults, kind)
	if reads {
		operations = append(operations, "every POST operation")
	}
	for _, op := range api.Operations() {
		covered := reads && op.Method == "POST"
		if slices.Contains(op.Faults, kind) && !covered {
			operations = append(operations, fmt.Sprintf("`%s %s`", op.Method, op.Path))
		}
	}
	return operations
}
