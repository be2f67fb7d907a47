package contract

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const id = `"requestId":"6f9619ff-8b86-4011-b42d-00cf4fc964ff"`

// TestCheck checks that the package detects wrong answers, and accepts right ones.
func TestCheck(t *testing.T) {
	const (
		archived = `{"errors":[],` + id + `,"status":200}`
		unknown  = `{"errors":[{"code":50404,"message":"The requested resource was not found."}],` +
			id + `,"status":404}`
		deceased = `{"errors":[{"code":60005,"message":"Customer id 7 is marked as deceased."}],` +
			id + `,"status":400}`
	)
	cases := []struct {
		name, method, path string
		status             int
		header, body       string
		want               string // part of the error; empty for none
	}{
		{"a good answer", "POST", "/card/archive", 200, "", archived, ""},
		{"another letter case", "POST", "//Card/ARCHIVE/", 200, "", archived, ""},
		{"data where there is none", "POST", "/card/archive", 200, "",
			strings.Replace(archived, `{`, `{"data":{},`, 1), "additional properties 'data'"},
		{"no data where there is some", "POST", "/card/lock", 200, "", archived,
			"missing property 'data'"},
		{"a status of its own", "POST", "/card/archive", 201, "", archived, "may not answer 201"},
		{"an identifier in capitals", "POST", "/card/archive", 200, "",
			strings.ReplaceAll(archived, "ff", "FF"), "does not match pattern"},
		{"a fault of the operation", "GET", "/card/get/1/2", 400, "", deceased, ""},
		{"a fault of another operation", "GET", "/bankdocument/download/a/1", 400, "", deceased,
			"value must be one of"},
		{"another message", "GET", "/card/get/1/2", 400, "",
			strings.Replace(deceased, "deceased", "dead", 1), "60005 has no message like"},
		{"an unknown route", "GET", "/card/mint", 404, "", unknown, ""},
		{"an unknown route that answers", "GET", "/card/mint", 200, "", archived, "minItems"},
		{"two statuses", "GET", "/card/mint", 405, "", unknown, "HTTP status is 405"},
		{"no type", "GET", "/card/mint", 404, "Content-Type: text/plain", unknown, "text/plain"},
		{"no way to know who", "GET", "/card/get/1/2", 401, "",
			`{"errors":[{"code":50401,"message":"User is not authorized."}],` + id +
				`,"status":401}`,
			"WWW-Authenticate is missing"},
		{"no envelope", "GET", "/card/mint", 404, "", `[]`, "want object"},
		{"no JSON", "GET", "/card/mint", 404, "", `{`, "not valid JSON"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			header := http.Header{"Content-Type": {"application/json; charset=utf-8"}}
			if name, value, given := strings.Cut(c.header, ": "); given {
				header.Set(name, value)
			}
			target := &url.URL{Path: c.path}
			err := Answer{c.method, target, c.status, header, []byte(c.body)}.Check()
			switch {
			case err == nil && c.want != "":
				t.Errorf("nothing is found, want %q", c.want)
			case err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)):
				t.Errorf("found %v, want %q", err, c.want)
			}
		})
	}
}
