package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mintmark/client"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/card"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
)

// fill draws a value for every exported field of a struct.
func fill(t *rapid.T, into reflect.Value) {
	for i := range into.NumField() {
		name := into.Type().Field(i).Name
		if !into.Type().Field(i).IsExported() {
			continue
		}
		switch field := into.Field(i); at := field.Addr().Interface().(type) {
		case *value.Amount:
			*at = value.Amount{TenThousandths: rapid.Int64().Draw(t, name)}
		case *time.Time:
			if rapid.Bool().Draw(t, name) {
				*at = time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, name))
			}
		case **time.Location:
			*at = time.FixedZone("", 900*rapid.IntRange(-48, 56).Draw(t, name))
		default:
			fillPlain(t, name, field)
		}
	}
}

func fillPlain(t *rapid.T, name string, field reflect.Value) {
	switch field.Kind() {
	case reflect.String:
		field.SetString(rapid.OneOf(
			rapid.SampledFrom([]string{"", "<a&b>", "\u2028", `"\`}), rapid.String(),
		).Draw(t, name))
	case reflect.Int:
		field.SetInt(rapid.OneOf(rapid.Just(int64(0)), rapid.Int64()).Draw(t, name))
	case reflect.Bool:
		field.SetBool(rapid.Bool().Draw(t, name))
	case reflect.Struct:
		fill(t, field)
	case reflect.Slice:
		list := reflect.MakeSlice(field.Type(), rapid.IntRange(0, 3).Draw(t, name), 3)
		for i := range list.Len() {
			if list.Index(i).Kind() == reflect.Struct {
				fill(t, list.Index(i))
			}
		}
		field.Set(list)
	default:
		t.Fatalf("%s has the kind %s, which is not filled", name, field.Kind())
	}
}

// TestCardsAreWrittenAsJSONWritesThem checks that this package encodes a card as package json
// would: every string, number and date in its canonical form, no white space, no unnecessary
// escapes. It also checks that the properties are in the order of the table.
func TestCardsAreWrittenAsJSONWritesThem(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var detail cards.CardDetail
		fill(t, reflect.ValueOf(&detail).Elem())
		for _, shown := range []data{showCard(detail), showCardAdded(detail)} {
			text := shown.appendJSON([]byte("before "))[len("before "):]
			names, again := rewrite(t, text)
			if diff := cmp.Diff(string(again), string(text)); diff != "" {
				t.Fatalf("package json writes it otherwise (-json +ours):\n%s", diff)
			}
			inOrder(t, names, PropertiesOf(reflect.TypeFor[Card]()))
		}
	})
}

// rewrite decodes an object and encodes it again, token by token. It also returns the names of its
// members.
func rewrite(t *rapid.T, text []byte) (names []string, again []byte) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	type container struct{ members, object int }
	var open []container
	for decoder.More() || len(open) > 0 {
		token, err := decoder.Token()
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if delim, ok := token.(json.Delim); ok && (delim == '}' || delim == ']') {
			again, open = append(again, delim.String()...), open[:len(open)-1]
			continue
		}
		if depth := len(open); depth > 0 {
			in := &open[depth-1]
			if in.members > 0 {
				again = append(again, ",:"[in.members&in.object])
			}
			if depth == 1 && in.members%2 == 0 {
				names = append(names, fmt.Sprint(token))
			}
			in.members++
		}
		if delim, ok := token.(json.Delim); ok {
			again = append(again, delim.String()...)
			open = append(open, container{0, map[json.Delim]int{'{': 1}[delim]})
			continue
		}
		s, err := marshal(token)
		if err != nil {
			t.Fatal(err)
		}
		again = append(again, s...)
	}
	return names, again
}

func inOrder(t *rapid.T, names []string, properties []Property) {
	for _, p := range properties {
		switch {
		case len(names) > 0 && names[0] == p.Name:
			names = names[1:]
		case !p.Optional:
			t.Fatalf("%s is missing before %v", p.Name, names)
		}
	}
	if len(names) > 0 {
		t.Fatalf("not in the table, or not in its order: %v", names)
	}
}

// TestCardText checks every byte of a card: with all that a card can have, the same as
// /card/addAccount answers it, and with as little as possible.
func TestCardText(t *testing.T) {
	t.Parallel()
	at := func(hour int) time.Time { return time.Date(2026, 1, 2, hour, 4, 5, 6e6, time.UTC) }
	full := cards.CardDetail{
		Card: card.Card{
			ID: 5001, CustomerID: 1001, HolderID: 1002, Type: "DBT", Vendor: "VS", BinID: 1,
			Status: card.Archived, Lock: card.Lock{Type: "CST", Reason: "LST"},
			Tag: "tag", NickName: "nick", Attributes: card.Attributes{QualifierCode: "Q"},
			Name:        card.Name{First: "Ada", Middle: "B", Last: "Example"},
			ExpireMonth: 1, ExpireYear: 2030, DigitalOnly: true,
			Slots: card.Slots{Checking: []int{2001}}, PrimaryCategory: card.Categories[0],
			Created: at(1), Requested: at(2), Verified: at(3), Reissued: at(4), Denied: at(5),
			Expired: at(6), Archived: at(7), Modified: at(8),
		},
		NumberMasked: "************1111", Zone: time.FixedZone("", -5*3600), Decimals: 2,
		Accounts: make([]cards.AccountDetail, 1),
	}
	account := &full.Accounts[0]
	account.ID, account.NumberMasked, account.CustomerID, account.Priority = 2001, "*1", 1001, 1
	account.Balance = value.Amount{TenThousandths: 125000}
	account.Name, account.Status, account.Type, account.Tag = "Main", "Open", "Checking", "t"
	account.BalanceModified, account.Modified = at(9), at(10)
	least := cards.CardDetail{Zone: time.UTC, Card: card.Card{Created: at(1), Modified: at(1)}}

	const (
		head = `{"cardId":5001,"customerId":1001,"cardHolderCustomerId":1002,"typeCode":"DBT",` +
			`"vendorTypeCode":"VS","status":"Archived","cardNumberMasked":"************1111",` +
			`"tag":"tag","firstName":"Ada","middleName":"B","lastName":"Example",` +
			`"nameOnCard":"Ada B Example","nickName":"nick","expireMonth":1,"expireYear":2030,` +
			`"primaryAccountId":2001,"lockTypeCode":"CST","lockReasonTypeCode":"LST",` +
			`"createdDate":"2026-01-01T20:04:05.006-05:00",` +
			`"requestedDate":"2026-01-01T21:04:05.006-05:00",` +
			`"verifiedDate":"2026-01-01T22:04:05.006-05:00",` +
			`"reissuedDate":"2026-01-01T23:04:05.006-05:00",` +
			`"deniedDate":"2026-01-02T00:04:05.006-05:00",` +
			`"expiredDate":"2026-01-02T01:04:05.006-05:00",` +
			`"archivedDate":"2026-01-02T02:04:05.006-05:00",` +
			`"lastModifiedDate":"2026-01-02T03:04:05.006-05:00",` +
			`"accounts":[{"accountId":2001,"accountNumberMasked":"*1","accountBalance":12.50,` +
			`"availableBalance":0.00,"pendingBalance":0.00,"name":"Main","status":"Open",` +
			`"tag":"t","type":"Checking",`
		tail = `}],"qualifierCode":"Q","binId":1,"isDigitalOnly":true,"limits":[]}`
		more = `"customerId":1001,"balanceLastModifiedDate":"2026-01-02T04:04:05.006-05:00",` +
			`"lastModifiedDate":"2026-01-02T05:04:05.006-05:00"`
	)
	for _, row := range []struct {
		shown   func(cards.CardDetail) data
		of      cards.CardDetail
		earlier bool
		want    string
	}{
		{showCard, full, false, head + `"priority":1` + tail},
		{showCard, full, true, head + `"priority":1,"cardPriority":1` + tail},
		{showCardAdded, full, false, head + `"cardPriority":1,` + more + tail},
		{showCardAdded, full, true, head + `"priority":1,"cardPriority":1,` + more + tail},
		{showCard, least, false, `{"cardId":0,"customerId":0,"cardHolderCustomerId":0,` +
			`"typeCode":"","vendorTypeCode":"","status":"","cardNumberMasked":"","firstName":"",` +
			`"lastName":"","nameOnCard":"","nickName":"","expireMonth":0,"expireYear":0,` +
			`"primaryAccountId":0,"lockTypeCode":"","lockReasonTypeCode":"",` +
			`"createdDate":"2026-01-02T01:04:05.006+00:00",` +
			`"lastModifiedDate":"2026-01-02T01:04:05.006+00:00","accounts":[],"binId":0,` +
			`"isDigitalOnly":false,"limits":[]}`},
	} {
		row.of.ForEarlierClients = row.earlier
		if got := string(row.shown(row.of).appendJSON(nil)); got != row.want {
			t.Errorf("the card is written as (-want +got):\n%s", cmp.Diff(
				strings.ReplaceAll(row.want, ",", ",\n"), strings.ReplaceAll(got, ",", ",\n")))
		}
	}
}

// BenchmarkAppendObject compares encoding a card by its table with package json.
func BenchmarkAppendObject(b *testing.B) {
	service, _, _ := demoService(b)
	who := issuing.Caller{Actor: audit.Actor{Name: "example1"}, ProgramID: 1}
	detail, err := service.Cards.Get(b.Context(), who, "1001", "5001")
	if err != nil {
		b.Fatal(err)
	}
	var same client.Card
	if err := json.Unmarshal(showCard(detail).appendJSON(nil), &same); err != nil {
		b.Fatal(err)
	}
	b.Run("table", func(b *testing.B) {
		b.ReportAllocs()
		var text []byte
		began := spent()
		for b.Loop() {
			text = showCard(detail).appendJSON(text[:0])
		}
		b.ReportMetric(float64((spent()-began).Nanoseconds())/float64(b.N), "cpu-ns/op")
	})
	b.Run("json", func(b *testing.B) {
		b.ReportAllocs()
		began := spent()
		for b.Loop() {
			if _, err := marshal(same); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64((spent()-began).Nanoseconds())/float64(b.N), "cpu-ns/op")
	})
}

// TestDownloadURLFits checks that the longest download address under the longest base URL has the
// maximum length.
func TestDownloadURLFits(t *testing.T) {
	longest := bankdoc.Document{
		ID: math.MaxInt32, Culture: strings.Repeat("c", bankdoc.MaxCulture), HasPDF: true,
	}
	shown := showDocuments([]bankdoc.Document{longest}, strings.Repeat("b", MaxBaseURL))
	if got := len(shown[0].DownloadURL); got != bankdoc.MaxDownloadURL {
		t.Errorf("it has %d characters, want %d", got, bankdoc.MaxDownloadURL)
	}
}
