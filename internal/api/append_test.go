package api

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mintmark/internal/issuing"
	"mintmark/internal/program"
	"mintmark/internal/value"
)

// fill draws a value for every field of a struct, whatever fields it has: one that the appending
// encoder does not know yet shows at once.
func fill(t *rapid.T, into reflect.Value) {
	for i := range into.NumField() {
		name := into.Type().Field(i).Name
		switch field := into.Field(i); at := field.Addr().Interface().(type) {
		case *string:
			*at = rapid.OneOf(rapid.SampledFrom([]string{"", "<a&b>", "\u2028", "\xff", `"\`}),
				rapid.String()).Draw(t, name)
		case *int:
			*at = rapid.OneOf(rapid.Just(0), rapid.Int()).Draw(t, name)
		case *bool:
			*at = rapid.Bool().Draw(t, name)
		case *value.Amount:
			*at = value.Amount{TenThousandths: rapid.OneOf(rapid.Int64(),
				rapid.Int64Range(-10000, 10000), rapid.Just(int64(math.MinInt64))).Draw(t, name),
			}.Fixed(rapid.IntRange(0, 4).Draw(t, name))
		case *value.Time:
			if rapid.Bool().Draw(t, name) {
				*at = moment(t, name)
			}
		case *[]Account:
			*at = make([]Account, rapid.IntRange(0, 3).Draw(t, name))
			for i := range *at {
				fill(t, reflect.ValueOf(&(*at)[i]).Elem())
			}
		case *[]struct{}:
			*at = []struct{}{}
		default:
			t.Fatalf("nobody knows how to fill %s", name)
		}
	}
}

func moment(t *rapid.T, name string) value.Time {
	zone := time.FixedZone("", 900*rapid.IntRange(-48, 56).Draw(t, name))
	milliseconds := rapid.Int64Range(0, 4e12).Draw(t, name)
	return value.Time{Time: time.UnixMilli(milliseconds).In(zone)}
}

// TestAppendWritesWhatJSONWrites holds that the appending encoder and package json write the same
// bytes, envelope included.
func TestAppendWritesWhatJSONWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := make(cardsOfTest, rapid.IntRange(0, 3).Draw(t, "cards"))
		for i := range list {
			list[i] = &Card{}
			fill(t, reflect.ValueOf(list[i]).Elem())
		}
		requestID := rapid.String().Draw(t, "requestId")
		same(t, requestID, list, []*Card(list))
		for _, one := range list {
			same(t, requestID, one, one)
		}
	})
}

// cardsOfTest is a list without a store behind it.
type cardsOfTest []*Card

func (c cardsOfTest) appendJSON(to []byte) []byte { return appendList(to, c) }

func same(t *rapid.T, requestID string, fast any, slow any) {
	want, err := marshal(Envelope{
		Data: slow, Errors: []Error{}, RequestID: requestID, Status: statusOK,
	})
	if err != nil {
		t.Fatal(err)
	}
	got := encode(requestID, fast, nil)
	if diff := cmp.Diff(string(want), string(got.Body)); diff != "" || got.HTTP != statusOK {
		t.Errorf("status %d, the bodies differ (-want +got):\n%s", got.HTTP, diff)
	}
}

// TestSnapshotsAreWrittenOnce holds that settings are kept as they were written, for each version
// of the interface, until they are read anew.
func TestSnapshotsAreWrittenOnce(t *testing.T) {
	t.Parallel()
	kept := &snapshots{}
	read := func(name string, version int, snapshot int64) string {
		settings := program.Settings{Name: name}
		text, err := kept.show(&call{version: version}, issuing.ProgramSettings{
			Settings: settings, Snapshot: snapshot,
		})
		if err != nil {
			t.Fatal(err)
		}
		plain := settings
		if version > 1 {
			plain = settings.WithoutDeprecated()
		}
		want, err := marshal(plain)
		if err != nil {
			t.Fatal(err)
		}
		if string(text) == string(want) {
			return "as asked for"
		}
		return "as before"
	}
	steps := []struct {
		name     string
		version  int
		snapshot int64
		want     string
	}{
		{"one", 1, 1, "as asked for"},
		{"one", 2, 1, "as asked for"},
		{"two", 1, 1, "as before"}, // no other settings have the number of a snapshot
		{"two", 1, 2, "as asked for"},
		{"one", 2, 1, "as asked for"},
	}
	for i, step := range steps {
		if got := read(step.name, step.version, step.snapshot); got != step.want {
			t.Errorf("step %d is answered %s, want %s", i, got, step.want)
		}
	}
}
