package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// reportSecret signs the messages of the card processor.
const reportSecret = "whsec_YmVuY2ggYmVuY2ggYmVuY2ggYmVuY2ggYmVuY2g="

// transfers compares authorizations with locks: where only users have limits, and where the whole
// program has a limit for a day, so that every authorization changes one row.
func (b *bench) transfers(e engine) error {
	for _, c := range []struct {
		name   string
		want   float64
		change func(settings map[string]any)
	}{
		{"authorize / lock", 0.5, func(settings map[string]any) {
			delete(settings, "perProgramDailyWithdrawLimit")
		}},
		{"authorize under a limit of the program / lock", 0, func(map[string]any) {}},
	} {
		if err := b.transfersWith(e, c.name, c.want, c.change); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) transfersWith(
	e engine, name string, want float64, change func(settings map[string]any),
) (err error) {
	const cards = 10_000
	directory, err := b.data(e, cards, "transfers-"+strconv.FormatInt(b.made.Add(1), 10))
	if err != nil {
		return err
	}
	if err := configure(e, directory, change); err != nil {
		return err
	}
	settings := e.settings(directory) + "processor: {reportSecrets: [" + reportSecret + "]}\n"
	serving, err := startServer(b.program, directory, settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, serving.stop()) }()
	signer, err := standardwebhooks.NewWebhook(reportSecret)
	if err != nil {
		return err
	}
	for _, callers := range []int{1, many} {
		wanted := 0.0
		if callers == many {
			wanted = want
		}
		err := b.compare(fmt.Sprintf("%s, %d connections", name, callers), wanted,
			b.rate(authorizing(serving.admin, cards, signer), callers),
			b.rate(locking(serving.address, cards), callers))
		if err != nil {
			return err
		}
	}
	return b.noneDeclined(e, directory)
}

// configure changes the settings of the program, gives every account enough for all authorizations,
// and lets no card be locked.
func configure(e engine, directory string, change func(settings map[string]any)) error {
	db, err := e.open(directory)
	if err != nil {
		return err
	}
	defer db.Close()
	var text string
	if err := db.QueryRow("SELECT settings FROM programs WHERE program_id = 1").Scan(
		&text); err != nil {
		return err
	}
	var settings map[string]any
	reader := json.NewDecoder(strings.NewReader(text))
	reader.UseNumber()
	if err := reader.Decode(&settings); err != nil {
		return err
	}
	for _, name := range []string{"perUserDailyWithdrawLimit", "perUserMonthlyWithdrawLimit"} {
		settings[name] = map[string]any{"maximumAmount": json.Number("1000000000.00")}
	}
	settings["perTransactionWithdrawLimit"] = map[string]any{
		"maximumAmount": json.Number("5000.00"),
	}
	change(settings)
	changed, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	_, err = db.Exec("UPDATE programs SET settings = $1 WHERE program_id = 1", string(changed))
	if err == nil {
		_, err = db.Exec("UPDATE accounts SET balance = 10000000000000," +
			" available_balance = 10000000000000")
	}
	return errors.Join(err, e.settle(db))
}

// authorized counts the authorizations of the run, for identifiers that were never used.
var authorized atomic.Int64

// authorizing asks for small purchases with cards from all over the database. It takes other cards
// than locking does: a locked card is declined.
func authorizing(address string, cards int, signer *standardwebhooks.Webhook) work {
	return work{address: address, request: func(to []byte, connection, turn int) []byte {
		n := authorized.Add(1)
		body := fmt.Sprintf(`{"authorizationId":"bench-%d","cardId":%d,"amount":0.01,`+
			`"kind":"purchase","at":"2026-06-01T12:00:00Z"}`, n,
			firstCard+nthCard(cards, connection, 2*turn))
		now := time.Now()
		signature, err := signer.Sign("bench", now, []byte(body))
		if err != nil {
			panic(err) // it only needs a key
		}
		return fmt.Appendf(to, "POST /processor/v1/authorizations HTTP/1.1\r\nHost: localhost\r\n"+
			"webhook-id: bench\r\nwebhook-timestamp: %d\r\nwebhook-signature: %s\r\n"+
			"Content-Length: %d\r\n\r\n%s", now.Unix(), signature, len(body), body)
	}}
}

// noneDeclined looks into the database: a declined authorization is answered like any other, and
// costs less.
func (b *bench) noneDeclined(e engine, directory string) error {
	db, err := e.open(directory)
	if err != nil {
		return err
	}
	defer db.Close()
	var declined int
	err = db.QueryRow("SELECT COUNT(*) FROM authorizations WHERE reason <> 'approved'").Scan(
		&declined)
	if err == nil && declined > 0 {
		err = fmt.Errorf("%d authorizations in %s were declined", declined,
			filepath.Base(directory))
	}
	return err
}
