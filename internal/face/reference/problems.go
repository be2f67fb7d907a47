package reference

import (
	"fmt"
	"net/http"
)

// ProblemPath is the path that the type of a problem refers to.
const ProblemPath = "/problems/{name}"

// problemMeanings lists the problems of the operators' address, as docs/operators.md does.
var problemMeanings = []struct {
	name    string
	status  int
	meaning string
}{
	{"not-signed-in", 401, "no token, or one that is unknown, expired or revoked"},
	{"not-allowed", 403, "none of the operator's roles may do this"},
	{"not-found", 404, "there is no such resource in the operator's banks"},
	{"method-not-allowed", 405, "`Allow` says which methods the path has"},
	{"conflict", 409, "a rule refuses, or the number or name is taken; `code` is that of " +
		"the callers' catalogue, where one fits"},
	{"stale", 412, "the resource has changed since it was read"},
	{"too-large", 413, "the body is above 1 MiB, or a PDF above 16 MiB"},
	{"invalid", 422, "all problems of the query, or of the body, at once"},
	{"if-match-required", 428, "the change needs the ETag of what it changes"},
	{"too-many", 429, "try again after `Retry-After` seconds"},
	{"internal", 500, "a fault of the service; its log has the `requestId`"},
	{"unavailable", 503, "try again after `Retry-After` seconds"},
	{"needs-approval", 202, "the act waits for another operator; `approvalId` names it"},
}

// Problem answers with the meaning of a problem.
func Problem(w http.ResponseWriter, r *http.Request) {
	for _, p := range problemMeanings {
		if p.name == r.PathValue("name") {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			fmt.Fprintf(w, "%s, status %d: %s.\n", p.name, p.status, p.meaning)
			return
		}
	}
	http.NotFound(w, r)
}
