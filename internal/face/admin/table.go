package admin

import (
	"net/http"
	"reflect"
)

// Row is a route as the document of the interface describes it.
type Row struct {
	Operation
	Method   string
	Status   int          // of success
	List     bool         // answers page by page
	Revision bool         // demands If-Match
	Changes  bool         // may be tried as a dry run, and done once with an idempotency key
	Long     bool         // the body may be long: without an idempotency key
	FourEyes bool         // may wait for a second operator
	Request  reflect.Type // of the body of JSON, nil without one
	Patch    bool         // the body is a merge patch of the answer
	Reply    reflect.Type // of the answer of JSON, nil without one
	Upload   string       // media type of a body that is no JSON
	Download string       // media type of an answer that is no JSON
}

// Table returns the routes of the interface.
func Table() []Row {
	var rows []Row
	for _, r := range (&Face{}).table() {
		rows = append(rows, Row{
			Operation: r.Operation, Method: r.method, Status: r.status, List: r.list,
			Revision: r.revision, Changes: r.changes(), Long: r.long,
			FourEyes: r.fourEyes,
			Request:  r.request, Patch: r.method == http.MethodPatch, Reply: r.reply,
			Upload: r.upload, Download: r.download,
		})
	}
	return rows
}
