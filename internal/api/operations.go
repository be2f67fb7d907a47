package api

import (
	"reflect"

	"mintmark/internal/fault"
)

// Operation describes a row of the route table to whoever writes about the interface or tests it
// as a whole. It tells nothing that the dispatcher does not go by.
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
	table := routes(nil)
	operations := make([]Operation, 0, len(table))
	for i := range table {
		r := &table[i]
		_, parameters := r.split()
		operations = append(operations, Operation{
			Method: r.method, Path: r.path, Summary: r.summary,
			Parameters: parameters, Optional: r.optional, Query: r.query,
			ReplacedBy: r.deprecatedFor, LastVersion: r.lastVersion,
			Request: r.request, RequestName: r.requestName, Answer: r.answer, Faults: r.faults,
		})
	}
	return operations
}
