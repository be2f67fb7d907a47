package api

import (
	"reflect"

	"mintmark/internal/domain/fault"
	"mintmark/internal/issuing/acts"
)

// Operation is an operation of the interface, as in the route table. The dispatcher, the OpenAPI
// description and the generated tests all read it.
type Operation struct {
	Method  string
	Path    string // parameters in braces
	Summary string

	Parameters []string // of the path, in order
	Optional   int      // number of trailing parameters that may be absent
	Query      []string // names of query parameters

	ReplacedBy  string // path of the operation to use instead; empty if not deprecated
	LastVersion int    // last interface version with the operation; 0 for all

	Request     reflect.Type // type of the body; nil for none
	RequestName string       // the request's name in messages
	Answer      reflect.Type // type of the data member; nil for none
	Faults      []fault.Kind // that the operation itself may return
}

// Operations returns every operation of the interface, in the order of the route table.
func Operations() []Operation {
	// The table needs a service to act, but none to be described.
	table := routes(&acts.Service{})
	operations := make([]Operation, 0, len(table))
	for i := range table {
		operations = append(operations, table[i].Operation)
	}
	return operations
}
