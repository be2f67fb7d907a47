package api

import (
	"errors"
	"math"
	"testing"

	"mintmark/internal/domain/fault"
	"mintmark/internal/issuing"
)

// TestEnvelope checks every byte of a response: the order of its members, the absent ones, and that
// nothing is escaped unnecessarily.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	two := fault.List{
		fault.New(fault.TagTaken, "<a> & \"b\""), fault.New(fault.NickNameTaken, 1001, "é"),
	}
	for _, row := range []struct {
		name string
		data data
		err  error
		http int
		want string
	}{
		{"an object", rendered(`{"a":1}`), nil, 200,
			`{"data":{"a":1},"errors":[],"requestId":"id","status":200}`},
		{"an empty list", rendered("[]"), nil, 200,
			`{"data":[],"errors":[],"requestId":"id","status":200}`},
		{"nothing", nil, nil, 200, `{"errors":[],"requestId":"id","status":200}`},
		{"a fault", nil, fault.New(fault.CustomerInvalid, 7), 400,
			`{"errors":[{"code":60001,"message":"Customer id 7 is invalid."}],` +
				`"requestId":"id","status":400}`},
		{"two faults", nil, two, 400,
			`{"errors":[{"code":150204,` +
				`"message":"Tag <a> & \"b\" is already associated with another card."},` +
				`{"code":150230,"message":"Another card for CustomerId 1001 is using NickName ` +
				`of é. NickName must be unique."}],"requestId":"id","status":400}`},
		{"a wrapped fault", nil, errors.Join(errors.New("x"), fault.New(fault.Unauthorized)), 401,
			`{"errors":[{"code":50401,"message":"User is not authorized."}],` +
				`"requestId":"id","status":401}`},
		{"an error that is no fault", nil, errors.New("secret detail"), 500,
			`{"errors":[{"code":52998,"message":"Internal Server Error. Incident Id : id"}],` +
				`"requestId":"id","status":500}`},
	} {
		got := issuing.Encoded{Status: 200, Body: appendEnvelope(nil, "id", row.data)}
		if row.err != nil {
			_, got = encodeProblem("id", row.err)
		}
		if got.Status != row.http || string(got.Body) != row.want {
			t.Errorf("%s: HTTP %d\n%s, want %d\n%s", row.name, got.Status, got.Body, row.http,
				row.want)
		}
	}
}

// TestMarshal checks that nothing is escaped unnecessarily, and that encoding an unsupported value
// is an error.
func TestMarshal(t *testing.T) {
	t.Parallel()
	if got, err := marshal("<a> & 'b' \u00e9"); err != nil || string(got) != `"<a> & 'b' é"` {
		t.Errorf("the text is %s (%v)", got, err)
	}
	if got, err := marshal(math.NaN()); err == nil {
		t.Errorf("a number that is none is encoded as %s", got)
	}
}
