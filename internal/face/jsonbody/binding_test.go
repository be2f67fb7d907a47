package jsonbody

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestForRefuses(t *testing.T) {
	refuses := func(what string, build func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s is taken", what)
			}
		}()
		build()
	}
	refuses("a request that is no struct", func() { For[int]("X") })
	refuses("a pointer", func() { For[*cardLock]("X") })
	refuses("a float", func() {
		For[struct {
			Rate float64 `json:"rate"`
		}]("X")
	})
	refuses("a list", func() {
		For[struct {
			IDs []int `json:"ids"`
		}]("X")
	})
	refuses("a field without a name", func() { For[struct{ ID int }]("X") })
	refuses("an embedded pointer", func() { For[struct{ *ref }]("X") })
}

func TestNamesIgnoreCaseButPreferTheirOwn(t *testing.T) {
	type twins struct {
		Upper int `json:"ID"`
		Lower int `json:"id"`
	}
	var into twins
	if err := For[twins]("Twins").Decode([]byte(`{"id":1,"ID":2,"Id":3}`), &into); err != nil {
		t.Fatal(err)
	}
	if into != (twins{Upper: 3, Lower: 1}) {
		t.Errorf("it is bound as %+v", into)
	}
	// The Kelvin sign does not equal K.
	accept(t, `{"KEY":1,"cu`+"\u017f"+`tomerId":1,"customerID":2}`, func(e *everything) {
		e.CustomerID = 2
	})
}

// TestOrdinaryBodiesRoundTrip checks that the output of an ordinary JSON encoder is decoded
// unchanged.
func TestOrdinaryBodiesRoundTrip(t *testing.T) {
	locks := For[plainLock]("CardLockRequest")
	rapid.Check(t, func(t *rapid.T) {
		want := plainLock{
			CustomerID:         int(rapid.Int32().Draw(t, "customerId")),
			CardID:             int(rapid.Int32().Draw(t, "cardId")),
			LockReasonTypeCode: rapid.String().Draw(t, "code"),
		}
		body, err := json.MarshalIndent(want, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		var got plainLock
		if err := locks.Decode(body, &got); err != nil {
			t.Fatalf("%s is refused: %v", body, err)
		}
		if got != want {
			t.Fatalf("%s is bound as %+v", body, got)
		}
	})
}

// TestAllocations checks that an ordinary request costs one allocation for each bound string, and
// no other.
func TestAllocations(t *testing.T) {
	locks := For[plainLock]("CardLockRequest")
	body := []byte(`{"customerId":1001,"cardId":"5001","unknown":["a",1],` +
		`"lockReasonTypeCode":"LST"}`)
	var into plainLock
	allocs := testing.AllocsPerRun(100, func() {
		if err := locks.Decode(body, &into); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 1 {
		t.Errorf("there are %v allocations", allocs)
	}
}
