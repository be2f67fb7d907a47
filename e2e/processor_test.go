package e2e

import (
	"bytes"
	"crypto/rsa"
	"crypto/x509"
	"database/sql"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/internal/testkit/testrun"
)

// carriers lists the ways in which orders and reports travel.
var carriers = []string{"http", "files"}

// circle is a production installation and a card processor, each in a separate process.
type circle struct {
	*testing.T
	carrier string
	dir     string
	production
	simulatorAt, adminAt string // addresses that outlive their processes
	forgetful            bool   // the processor persists nothing over a restart

	node, simulator *process
	api             *client.Client
	db              *sql.DB // opened on first use
}

// newCircle starts both processes. The processor waits for commands before it reports anything.
func newCircle(t *testing.T, carrier string) *circle {
	t.Helper()
	c := &circle{
		T: t, carrier: carrier, dir: t.TempDir(), simulatorAt: freeAddress(t),
		adminAt: freeAddress(t),
	}
	c.production = production{
		t, filepath.Join(c.dir, "data"), filepath.Join(c.dir, "mintmark.yaml"),
	}
	for _, name := range []string{"out", "in", "done", "bad"} {
		if err := os.MkdirAll(filepath.Join(c.dir, "folder", name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c.startSimulator("--mode", "manual")
	configure(t, c.config, c.production.data, c.settings())
	initialize(t, "--config", c.config)
	loadDemo(t, c.production.data)
	c.startNode()
	return c
}

// freeAddress returns a free address that no outgoing connection takes meanwhile: systems give
// those ports from 32768 on.
func freeAddress(t *testing.T) string {
	t.Helper()
	for {
		address := fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(12_000))
		listener, err := net.Listen("tcp", address)
		if err == nil {
			listener.Close()
			return address
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			t.Fatal(err)
		}
	}
}

// settings returns the settings of a server with a card processor.
func (c *circle) settings() string {
	c.Helper()
	secret := func(name string) string {
		text, err := os.ReadFile(filepath.Join(c.dir, "keys", name))
		if err != nil {
			c.Fatal(err)
		}
		return strings.Join(strings.Fields(string(text)), ", ")
	}
	return fmt.Sprintf("adminListen: %s\nprocessor:\n  kind: %s\n  url: http://%s\n  folder: %s\n"+
		"  jwks: %s\n  secrets: [%s]\n  reportSecrets: [%s]\n", c.adminAt, c.carrier,
		c.simulatorAt, filepath.Join(c.dir, "folder"),
		filepath.Join(c.dir, "keys", "processor.jwks"), secret("secrets"), secret("reportSecrets"))
}

func (c *circle) startSimulator(args ...string) {
	c.Helper()
	program := command(c.T, "processor-simulator", "--listen", c.simulatorAt,
		"--keys", filepath.Join(c.dir, "keys"))
	if !c.forgetful {
		program.Args = append(program.Args, "--data", filepath.Join(c.dir, "journal"))
	}
	if c.carrier == "http" {
		program.Args = append(program.Args, "--report-url", "http://"+c.adminAt)
	} else {
		program.Args = append(program.Args, "--files", filepath.Join(c.dir, "folder"))
	}
	program.Args = append(program.Args, args...)
	c.simulator = serve(c.T, program, "serves on")
}

func (c *circle) startNode() {
	c.Helper()
	c.node = c.production.serve()
	c.api = client.New(c.node.url, "example1", "example1")
}

// ask sends a request to the simulator and decodes its answer.
func (c *circle) ask(method, path string, body, into any) {
	c.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.Fatal(err)
	}
	request, err := http.NewRequestWithContext(c.Context(), method, c.simulator.url+path,
		bytes.NewReader(text))
	if err != nil {
		c.Fatal(err)
	}
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		c.Fatal(err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode == http.StatusOK {
		err = json.Unmarshal(said, into)
	}
	if err != nil || answer.StatusCode != http.StatusOK {
		c.Fatalf("%s %s: %d %s (%v)", method, path, answer.StatusCode, said, err)
	}
}

// arrival is an order as the processor received it.
type arrival struct {
	OrderID  string
	Sequence int
	Kind     string
	CardID   int
	Times    int
	Effect   string
}

// arrived returns the orders that have reached the processor, in order of arrival; those of all
// cards if cardID is 0.
func (c *circle) arrived(cardID int) []arrival {
	c.Helper()
	path := "/simulator/orders"
	if cardID != 0 {
		path += fmt.Sprintf("?cardId=%d", cardID)
	}
	var match struct{ Orders []arrival }
	c.ask(http.MethodGet, path, nil, &match)
	return match.Orders
}

// gets waits until the processor has exactly the orders of these kinds for a card.
func (c *circle) gets(cardID int, kinds ...string) {
	c.Helper()
	var got []string
	testrun.Within(c.T, fmt.Sprintf("the processor has the orders %v for card %d", kinds, cardID),
		func() bool {
			got = nil
			for _, a := range c.arrived(cardID) {
				got = append(got, a.Kind)
			}
			return slices.Equal(got, kinds)
		}, func() any { return got })
}

// reports makes the processor report about a card.
func (c *circle) reports(cardID int, kinds ...string) {
	c.Helper()
	for _, kind := range kinds {
		var said any
		c.ask(http.MethodPost, fmt.Sprintf("/simulator/cards/%d/report", cardID),
			map[string]string{"kind": kind}, &said)
	}
}

// card returns a card as callers see it.
func (c *circle) card(cardID int) client.Card {
	c.Helper()
	card, err := c.api.CardGet(c.Context(), customer, cardID)
	if err != nil {
		c.Fatal(err)
	}
	return card
}

// becomes waits until a card meets a condition.
func (c *circle) becomes(cardID int, what string, so func(client.Card) bool) client.Card {
	c.Helper()
	var card client.Card
	testrun.Within(c.T, fmt.Sprintf("card %d becomes %s", cardID, what), func() bool {
		card = c.card(cardID)
		return so(card)
	}, func() any { return card })
	return card
}

func hasStatus(status string) func(client.Card) bool {
	return func(card client.Card) bool { return card.Status == status }
}

// orders orders a card.
func (c *circle) orders(name string) client.Card {
	c.Helper()
	card, err := c.api.CardInitiate(c.Context(), newCard(name))
	if err != nil {
		c.Fatal(err)
	}
	return card
}

// lastFour returns the last four digits printed on a card.
func (c *circle) lastFour(cardID int) string {
	c.Helper()
	var seen struct{ LastFour string }
	c.ask(http.MethodGet, fmt.Sprintf("/simulator/cards/%d", cardID), nil, &seen)
	return seen.LastFour
}

// verifies verifies a shipped card.
func (c *circle) verifies(cardID int) client.Card {
	c.Helper()
	card, err := c.api.CardVerify(c.Context(), client.CardVerifyRequest{
		CustomerID: customer, CardID: cardID, BirthDate: birthDate,
		CardNumberMasked: c.lastFour(cardID),
	})
	if err != nil {
		c.Fatal(err)
	}
	return card
}

// pin encrypts a PIN as callers do.
func (c *circle) pin(digits string) string {
	c.Helper()
	block, _ := pem.Decode([]byte(c.done("pin-key", "--config", c.config)))
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		c.Fatal(err)
	}
	encrypted, err := client.EncryptPin(key.(*rsa.PublicKey), digits)
	if err != nil {
		c.Fatal(err)
	}
	return encrypted
}

// TestProcessor follows the life of cards in production, with a card processor in a separate
// process, over HTTP and over files.
func TestProcessor(t *testing.T) {
	t.Parallel()
	for _, carrier := range carriers {
		t.Run(carrier, func(t *testing.T) {
			t.Parallel()
			c := newCircle(t, carrier)
			usable := c.makesACard()
			c.refusesACard()
			c.replacesACard(usable)
			c.endsWell()
		})
	}
}

// makesACard orders a card, has it made and shipped, verifies it, and changes its PIN.
func (c *circle) makesACard() client.Card {
	c.Helper()
	card := c.orders("A whole life")
	c.gets(card.CardID, "card.make")
	waiting := c.card(card.CardID)
	same(c.T, "before it is taken", waiting.Status, "Initiated")
	same(c.T, "requestedDate is there", !waiting.RequestedDate.IsZero(), false)
	c.reports(card.CardID, "taken")
	c.becomes(card.CardID, "taken", func(card client.Card) bool {
		return card.Status == "Initiated" && !card.RequestedDate.IsZero()
	})
	c.reports(card.CardID, "shipped")
	c.becomes(card.CardID, "shipped", hasStatus("PendingVerification"))
	same(c.T, "verified", c.verifies(card.CardID).Status, "Verified")

	_, err := c.api.CardResetPin(c.Context(), client.CardResetPinRequest{
		CustomerID: customer, CardID: card.CardID, NewPin: c.pin("8462"),
	})
	if err != nil {
		c.Fatal(err)
	}
	c.gets(card.CardID, "card.make", "card.pin")
	var has struct{ Matches bool }
	c.ask(http.MethodPost, fmt.Sprintf("/simulator/cards/%d/pin", card.CardID),
		map[string]string{"pin": "8462"}, &has)
	same(c.T, "the processor has the PIN", has.Matches, true)
	c.reports(card.CardID, "pinSet")
	return card
}

// refusesACard makes the processor refuse to make a card.
func (c *circle) refusesACard() {
	c.Helper()
	card := c.orders("Refused")
	c.gets(card.CardID, "card.make")
	c.reports(card.CardID, "refused")
	denied := c.becomes(card.CardID, "refused", hasStatus("Denied"))
	same(c.T, "deniedDate is there", !denied.DeniedDate.IsZero(), true)
	c.gets(card.CardID, "card.make", "card.close")
}

// replacesACard reports a card lost and gets a replacement.
func (c *circle) replacesACard(lost client.Card) {
	c.Helper()
	replacement, err := c.api.CardReissue(c.Context(), client.CardReissueRequest{
		CustomerID: customer, CardID: lost.CardID, ReissueReasonTypeCode: "LST",
	})
	if err != nil {
		c.Fatal(err)
	}
	old := c.card(lost.CardID)
	same(c.T, "the old card", old.Status+" "+old.LockReasonTypeCode, "Reissued LST")
	c.gets(lost.CardID, "card.make", "card.pin", "card.hotlist", "card.close")
	c.gets(replacement.CardID, "card.make")
	c.reports(replacement.CardID, "taken", "shipped")
	c.becomes(replacement.CardID, "taken and shipped", func(card client.Card) bool {
		return card.Status == "ReissuePendingVerification" && !card.RequestedDate.IsZero()
	})
	same(c.T, "the new card", c.verifies(replacement.CardID).Status, "Verified")
}

// endsWell stops both processes.
func (c *circle) endsWell() {
	c.Helper()
	same(c.T, "exit code of the server", c.node.end(syscall.SIGTERM), 0)
	same(c.T, "exit code of the simulator", c.simulator.end(syscall.SIGTERM), 0)
}

// old returns a file with two old cards: one that was never verified, and one that expires in the
// month of a time.
func old(unverified, expiring time.Time) string {
	entry := func(id int, status string, created time.Time, more string) string {
		return fmt.Sprintf("  - {cardId: %d, programId: 1, customerId: 1001, binId: 1, "+
			"typeCode: DBT, status: %s, nickName: Old %d, firstName: Ada, lastName: Example, "+
			"accountIds: [2001], createdDate: '%s'%s}\n", id, status, id,
			created.Format(time.RFC3339), more)
	}
	return "cards:\n" + entry(6001, "PendingVerification", unverified, "") +
		entry(6002, "Verified", expiring,
			fmt.Sprintf(", verifiedDate: '%s'", expiring.Add(time.Hour).Format(time.RFC3339)))
}

// TestProcessorInTime loads old cards into production, because its clock cannot be moved: one was
// not verified for 91 days, another was made 48 months ago and expires this month. The first must
// expire, and the second must be made again with a new expiry.
func TestProcessorInTime(t *testing.T) {
	t.Parallel()
	for _, carrier := range carriers {
		t.Run(carrier, func(t *testing.T) {
			t.Parallel()
			c := newCircle(t, carrier)
			now := time.Now()
			zone, err := time.LoadLocation("America/New_York")
			if err != nil {
				t.Fatal(err)
			}
			local := now.In(zone)
			began := time.Date(local.Year()-4, local.Month(), 1, 0, 30, 0, 0, zone)
			file := filepath.Join(c.dir, "old.yaml")
			text := old(now.Add(-91*24*time.Hour), began)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			// The hourly job also runs at the start.
			same(t, "exit code", c.node.end(syscall.SIGTERM), 0)
			c.done("load", "--config", c.config, file)
			c.startNode()
			c.becomes(6001, "expired", func(card client.Card) bool {
				return card.Status == "Expired" && !card.ExpiredDate.IsZero()
			})
			renewed := c.becomes(6002, "renewed", func(card client.Card) bool {
				return card.ExpireYear != local.Year()
			})
			same(t, "expiry", fmt.Sprint(renewed.ExpireYear, renewed.ExpireMonth),
				fmt.Sprint(local.Year()+4, int(local.Month())))
			same(t, "status", renewed.Status, "Verified")
			c.gets(6002, "card.remake")
			c.reports(6002, "taken", "shipped")
			c.endsWell()
		})
	}
}
