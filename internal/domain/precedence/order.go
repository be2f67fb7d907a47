// Package precedence defines the order in which the checks of a request are made, and therefore
// which fault is returned when several apply (interface §7 and §8). docs/interface.md prints the
// tables of checks.go; the fault rules of a sandbox are placed by them. Packages api and issuing
// make the checks themselves.
package precedence

import (
	"slices"
	"strings"

	"mintmark/internal/domain/fault"
)

// FullPaths maps the paths of operations without their last parameters, which openapi.yaml lists
// besides the full paths, to the full paths.
var FullPaths = map[string]string{
	"/card/getbytag/{customerId}":  "/card/getbytag/{customerId}/{tag}",
	"/bankdocument/list/{culture}": "/bankdocument/list/{culture}/{documentType}",
}

// Position is the position of a check in an Order.
type Position struct {
	Stage int
	Check int // in the stage
}

// Before reports whether a position precedes another.
func (p Position) Before(other Position) bool {
	return p.Stage < other.Stage || p.Stage == other.Stage && p.Check < other.Check
}

// Order holds the stages of a request: those of every request, the reading of its body, those of
// its operation.
type Order struct {
	stages    []Stage
	operation int // the first stage of the operation
}

// Service is the stage at which the service itself fails, after credentials and rate. No check of a
// request belongs to it.
var Service = Stage{
	{fault.InternalError, "a fault rule of a sandbox"},
	{fault.BadGateway, "a fault rule of a sandbox"},
	{fault.Unavailable, "a fault rule of a sandbox"},
	{fault.GatewayTimeout, "a fault rule of a sandbox"},
	{fault.Incident, "a fault rule of a sandbox"},
	{fault.QualificationService, "a fault rule of a sandbox"},
}

// Of returns the order of the checks for a path of Operations. Any other path has only the checks
// of every request.
func Of(path string) Order {
	order := Order{stages: []Stage{
		alone(fault.HTTPVersion, ""), alone(fault.Unauthorized, ""),
		alone(fault.AddressNotTrusted, ""), alone(fault.RateExceeded, ""), Service,
		alone(fault.NotImplemented, ""), alone(fault.RouteUnknown, ""),
		alone(fault.MethodNotAllowed, ""),
	}}
	stages, known := Operations[path]
	if known && ReadsBody(path) {
		order.stages = append(order.stages, bodyStage)
	}
	order.operation = len(order.stages)
	for _, stage := range stages {
		if len(stage) == 0 {
			order.stages = append(order.stages, Customer...)
			continue
		}
		order.stages = append(order.stages, stage)
	}
	return order
}

// bodyStage holds the faults of a body. The body is read from left to right, and its first fault
// ends the request.
var bodyStage = findBodyStage()

func findBodyStage() Stage {
	const group = 599 // the codes of bodies are 59900 to 59999
	var stage Stage
	for _, e := range fault.Entries() {
		if e.Code/100 == group && e.Reserved == "" {
			stage = append(stage, Check{e.Kind, ""})
		}
	}
	return stage
}

// ReadsBody reports whether an operation reads its request from the body.
func ReadsBody(path string) bool {
	return !strings.Contains(path, "{") && path != "/program/get"
}

// Find returns the position of the first check with a code, and the kind of its fault.
func (o Order) Find(code int) (at Position, kind fault.Kind, ok bool) {
	return o.find(0, func(kind fault.Kind) bool { return fault.Lookup(kind).Code == code })
}

// FindInOperation returns the position of the operation's first check of a kind.
func (o Order) FindInOperation(kind fault.Kind) (at Position, ok bool) {
	at, _, ok = o.find(o.operation, func(of fault.Kind) bool { return of == kind })
	return at, ok
}

// LastStage returns the last stage with a check of a kind, or -1 if there is none.
func (o Order) LastStage(kind fault.Kind) int {
	for i, stage := range slices.Backward(o.stages) {
		if slices.ContainsFunc(stage, func(c Check) bool { return c.Kind == kind }) {
			return i
		}
	}
	return -1
}

// Stage returns the first stage with a check of a kind, or -1 if there is none.
func (o Order) Stage(kind fault.Kind) int {
	at, _, ok := o.find(0, func(of fault.Kind) bool { return of == kind })
	if !ok {
		return -1
	}
	return at.Stage
}

// Begin returns the first stage of the operation.
func (o Order) Begin() int { return o.operation }

func (o Order) find(
	from int, fits func(fault.Kind) bool,
) (at Position, kind fault.Kind, ok bool) {
	for i, stage := range o.stages[from:] {
		for j, check := range stage {
			if fits(check.Kind) {
				return Position{from + i, j}, check.Kind, true
			}
		}
	}
	return Position{}, 0, false
}

// properties maps each check of a stage with several checks to the properties that it checks. Only
// one fault is reported for a property, and none that depends on a value that is already invalid.
var properties = map[fault.Kind][]string{
	fault.NamesRequired:         {"firstName", "lastName"},
	fault.FirstNameCharacters:   {"firstName"},
	fault.MiddleNameCharacters:  {"middleName"},
	fault.LastNameCharacters:    {"lastName"},
	fault.NameOnCardRequired:    {"firstName", "middleName", "lastName"},
	fault.VendorTypeCodeInvalid: {"vendorTypeCode"},
	fault.TypeCodeInvalid:       {"typeCode"},
	fault.UseHotlist:            {"lockReasonTypeCode"},
	fault.LockReasonInvalid:     {"lockReasonTypeCode"},
	fault.LockReasonRequired:    {"lockReasonTypeCode"},
	fault.HotlistReason:         {"lockReasonTypeCode"},
	fault.ReissueReason:         {"reissueReasonTypeCode"},
	fault.PinRequired:           {"newPin"},
	fault.PinOutOfRange:         {"newPin"},
	fault.TagTaken:              {"tag"},
	fault.NickNameTaken:         {"nickName"},
}

// MutuallyExclusive reports whether two faults of a stage cannot be reported together, because they
// concern the same property.
func MutuallyExclusive(kind, other fault.Kind) bool {
	return slices.ContainsFunc(properties[kind], func(property string) bool {
		return slices.Contains(properties[other], property)
	})
}
