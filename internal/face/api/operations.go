package api

import (
	"reflect"

	"mintmark/internal/domain/fault"
	"mintmark/internal/issuing/acts"
)

// Operation is an operation of the interface as the route table has it. The dispatcher, the
// description of the interface and the generated tests all read it.
type Operation struct {
	Method  string
	Path    string // as the interface writes it, parameters in braces
	Summary string

	Parameters []string // of the path, in order
	Optional   int      // how many of the last ones may be missing
	Query      []string // names of query parameters

	ReplacedBy  string // path of the operation to use instead; empty for one to stay
	LastVersion int    // last version of the interface that has the operation; 0 for all

	Request     reflect.Type // of the body; nil for none
	RequestName string       // as messages name the request
	Answer      reflect.Type // of the data member; nil for none
	Faults      []fault.Kind // that the operation itself may answer
}

// Operations returns every operation of the interface, in the order of the route table.
func Operations() []Operation {
	// The table needs a service to act with, and none to be described.
	table := routes(&acts.Service{})
	operations := make([]Operation, 0, len(table))
	for i := range table {
		operations = append(operations, table[i].Operation)
	}
	return operations
}
