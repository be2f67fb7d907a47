package e2e

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
	"mintmark/internal/face/api"
)

// kind is the kind of thing that an identifier names, from the view of customer 1001 of program
// Example1.
type kind string

const (
	another  kind = "of another customer of the program"
	barred   kind = "a customer whose access type is NONE"
	foreign  kind = "of another program"
	never    kind = "never existed"
	zero     kind = "zero"
	negative kind = "negative"
	greatest kind = "the greatest"
	above32  kind = "above 32 bits"
	above64  kind = "above 64 bits"
	word     kind = "a word"
	missing  kind = "left out"
)

var kinds = []kind{another, barred, foreign, never, zero, negative, greatest, above32, above64, word,
	missing}

// everywhere holds the values that name nothing, for any identifier. newMatrix adds the others.
var everywhere = map[kind]string{
	never: "94711", zero: "0", negative: "-1", greatest: "2147483647",
	above32: "4294967296", above64: "99999999999999999999", word: "word", missing: "",
}

// rule is a row of the table of expectations. The first matching row decides.
type rule struct {
	identifier string   // empty for any
	places     []string // path prefixes; nil for any
	kinds      []kind   // nil for any
	code       int
}

const (
	answered = 0  // the request succeeds
	notYours = -1 // the operation's code for a card that is unrelated to the customer
)

var (
	post     = []string{"post "}
	creating = []string{"post /card/initiate", "post /card/createdigital"}

	behindTheCard = []string{"get ", "post /card/addAccount", "post /card/removeAccount",
		"post /card/reprioritizeAccount"}
)

var rules = []rule{
	// A body is decoded before its identifiers are looked up.
	{places: post, kinds: []kind{word}, code: 59900},
	{places: post, kinds: []kind{above32, above64}, code: 59956},

	{identifier: "customerId", places: []string{"get /card/list"}, kinds: []kind{another, barred},
		code: answered},
	// A path that ends before the customer matches no route.
	{identifier: "customerId", places: []string{"get /card/list"}, kinds: []kind{missing},
		code: 50404},
	{identifier: "customerId", places: creating, kinds: []kind{another, barred}, code: 150211},
	// Of the operations that change a card, those on its accounts check the owner first.
	{identifier: "customerId", places: behindTheCard, kinds: []kind{barred}, code: notYours},
	{identifier: "customerId", kinds: []kind{barred}, code: 150403},
	{identifier: "customerId", kinds: []kind{another}, code: notYours},
	{identifier: "customerId", code: 60001},

	// Any customer of the program may hold a card, so the nickname is rejected instead.
	{identifier: "cardHolderCustomerId", kinds: []kind{another}, code: 150230},
	{identifier: "cardHolderCustomerId", kinds: []kind{barred}, code: 150207},
	{identifier: "cardHolderCustomerId", code: 150205},

	{identifier: "cardId", code: notYours},
	{identifier: "tag", code: notYours},

	{identifier: "accountId", code: 59956},
	{identifier: "primaryAccountId", kinds: []kind{zero, missing}, code: 150212},
	{identifier: "primaryAccountId", kinds: []kind{another}, code: 150211},
	{identifier: "primaryAccountId", code: 150208},
	// The first BIN is used, so the nickname is rejected instead.
	{identifier: "binId", kinds: []kind{missing}, code: 150230},
	{identifier: "binId", code: 150243},

	{identifier: "documentId", kinds: []kind{another, foreign, never, greatest}, code: 68304},
	{identifier: "documentId", kinds: []kind{missing}, code: 68301},
	{identifier: "documentId", code: 68302},
	{identifier: "culture", places: []string{"get /bankdocument/list"}, code: answered},
	{identifier: "culture", kinds: []kind{missing}, code: 68301},
	{identifier: "culture", code: 68304},
}

// strangersCodes holds the codes for notYours.
var strangersCodes = map[string]int{
	"/card/get/{customerId}/{cardId}": 154101, "/card/getbytag/{customerId}/{tag}": 154002,
	"/card/verify": 150301, "/card/lock": 150403, "/card/hotlist": 150403,
	"/card/lostOrStolen": 150403, "/card/unlock": 150501, "/card/archive": 153101,
	"/card/reissue": 153002, "/card/addAccount": 150601, "/card/removeAccount": 150701,
	"/card/reprioritizeAccount": 150801, "/card/resetpin": 150403,
}

func expected(op api.Operation, identifier string, k kind) int {
	place := strings.ToLower(op.Method) + " " + op.Path
	for _, r := range rules {
		within := func(start string) bool { return strings.HasPrefix(place, start) }
		if r.identifier != "" && r.identifier != identifier ||
			r.places != nil && !slices.ContainsFunc(r.places, within) ||
			r.kinds != nil && !slices.Contains(r.kinds, k) {
			continue
		}
		if r.code == notYours {
			return strangersCodes[op.Path]
		}
		return r.code
	}
	return -1
}

// TestAuthorization sends every operation once for each of its identifiers and each kind of thing
// that the identifier can name, except the caller's own. A thing of another program must be
// answered like one that does not exist, and nothing may change.
func TestAuthorization(t *testing.T) {
	t.Parallel()
	m := newMatrix(ledger.NewWorld(t, app.Settings{}))
	before := m.everyCard()
	probes := 0
	for _, op := range api.Operations() {
		for _, identifier := range identifiers(op) {
			for _, k := range kinds {
				if k == barred && m.strangers[identifier][k] == "" {
					continue
				}
				probes++
				t.Run(fmt.Sprintf("%s/%s/%s", op.Path, identifier, k), func(t *testing.T) {
					m.under(t).probe(op, identifier, k)
				})
			}
		}
	}
	if after := m.everyCard(); after != before {
		t.Errorf("the refused requests have changed something:\n%s\nis now\n%s", before, after)
	}
	if probes < 300 {
		t.Errorf("only %d requests came from the route table", probes)
	}
	for _, op := range api.Operations() {
		t.Run("own "+op.Path, func(t *testing.T) { m.under(t).control(op) })
	}
}

// TestForeignTagsAreFree orders a card with the tag of another program's card.
func TestForeignTagsAreFree(t *testing.T) {
	t.Parallel()
	m := newMatrix(ledger.NewWorld(t, app.Settings{}))
	tag := m.strangers["tag"][foreign]
	reply := m.world.Send(ledger.Request{
		Path: "/card/initiate", Body: ledger.NewCard(fmt.Sprintf(`"tag":%q`, tag)),
	})
	if reply.HTTP != http.StatusOK {
		t.Errorf("the tag of another program's card: %s", reply.Raw)
	}
}

// matrix is a world with a card for each kind of owner.
type matrix struct {
	world     *ledger.World
	own       map[string]string          // values with which a request succeeds, by member
	strangers map[string]map[kind]string // by identifier
}

func newMatrix(world *ledger.World) *matrix {
	world.T.Helper()
	m := &matrix{world: world}
	m.own = map[string]string{
		"customerId": "1001", "cardHolderCustomerId": "1001", "accountId": "2002",
		"primaryAccountId": "2001", "binId": "1", "cardId": m.card(), "tag": "demo-5001",
		"culture": "en-US", "documentId": "80", "documentType": "CardInfo",

		"vendorTypeCode": "VS", "typeCode": "DBT", "firstName": "Ada", "middleName": "B",
		"lastName": "Example", "qualifierCode": "A1", "newPin": "MTIzNA==",
		// It is taken, so that no card is created.
		"nickName":  "Demo 5001",
		"birthDate": "1985-03-14", "cardNumberMasked": "1111",
		"lockReasonTypeCode": "FRD", "reissueReasonTypeCode": "DMG", "cardPriority": "1",
		"priority": "1",
	}
	m.strangers = map[string]map[kind]string{
		"customerId":           {another: "1010", barred: "1012", foreign: "9001"},
		"cardHolderCustomerId": {another: "1002", barred: "1012", foreign: "9001"},
		"accountId":            {another: "2110", foreign: "9101"},
		"primaryAccountId":     {another: "2110", foreign: "9101"},
		"cardId": {
			another: m.newCard("example1", 1010, 2110), foreign: m.newCard("other1", 9001, 9101)},
		"tag": {another: "of 1010", foreign: "of 9001"},
		// A BIN belongs to a program. Bin 2 belongs to another vendor.
		"binId": {another: "2", foreign: "21"},
		// The documents belong to the first bank, so the caller belongs to another one.
		"documentId": {another: "91", foreign: "80"},
		"culture":    {another: "es-US", foreign: "en-US"},
	}
	return m
}

func (m *matrix) under(t *testing.T) *matrix {
	return &matrix{m.world.Under(t), m.own, m.strangers}
}

// card creates a card of customer 1001 with the accounts 2001 and 2002.
func (m *matrix) card() string {
	m.world.T.Helper()
	id := ledger.Verified(m.world)
	m.must(ledger.Request{
		Path: "/card/addAccount", Body: ledger.Act(id, `"accountId":2002,"cardPriority":2`),
	})
	return fmt.Sprint(id)
}

// newCard creates a card of any customer and returns its id.
func (m *matrix) newCard(key string, customer, account int) string {
	m.world.T.Helper()
	return cardID(m.world.T, m.must(ledger.Request{
		Key: key, Path: "/card/initiate", Body: ledger.NewCard(fmt.Sprintf(
			`"customerId":%d,"cardHolderCustomerId":%[1]d,"primaryAccountId":%d,"tag":"of %[1]d"`,
			customer, account)),
	}))
}

func (m *matrix) must(r ledger.Request) ledger.Reply {
	m.world.T.Helper()
	reply := m.world.Send(r)
	if reply.HTTP != http.StatusOK {
		m.world.T.Fatalf("%s %s: %s", r.Path, r.Body, reply.Raw)
	}
	return reply
}

// identifiers returns the parameters and members by which an operation finds something. The tag of
// a new card is not among them.
func identifiers(op api.Operation) []string {
	names := slices.DeleteFunc(slices.Clone(op.Parameters), func(name string) bool {
		return name == "documentType"
	})
	for _, name := range members(op.Request) {
		if strings.HasSuffix(name, "Id") {
			names = append(names, name)
		}
	}
	return names
}

// members returns the names of a request's members, including those of embedded structs.
func members(request reflect.Type) []string {
	var names []string
	if request == nil {
		return nil
	}
	for _, field := range reflect.VisibleFields(request) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// probe sends one request and checks its answer against the rules.
func (m *matrix) probe(op api.Operation, identifier string, k kind) {
	t := m.world.T
	t.Helper()
	value, named := m.strangers[identifier][k]
	if !named {
		value, named = everywhere[k]
	}
	if !named {
		t.Fatalf("nothing is known of the identifier %s", identifier)
	}
	reply := m.send(op, identifier, k, value)
	code := answered
	if len(reply.Errors) > 0 {
		code = reply.Errors[0].Code
	}
	if want := expected(op, identifier, k); code != want || len(reply.Errors) > 1 {
		t.Errorf("%s: errors %v, want %d", value, reply.Errors, want)
	}
	ofAnotherCard := k == another && (identifier == "cardId" || identifier == "tag")
	if k != foreign && !ofAnotherCard {
		return
	}
	unknown := m.send(op, identifier, k, everywhere[never])
	got, want := without(reply, value), without(unknown, everywhere[never])
	if got != want || reply.HTTP != unknown.HTTP {
		t.Errorf("%s answers\n%s, what never existed\n%s", value, got, want)
	}
}
