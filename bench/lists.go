package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What an operator may wait for a page of a list, and how often each is asked for.
const (
	listWithin = 300 * time.Millisecond
	listRounds = 15
	packWithin = 5 * time.Minute
)

// rareCards makes some cards of a filled database differ from all others, and gives one a long
// history.
var rareCards = []string{
	`UPDATE cards SET lock_type = 'SYS', lock_reason = 'ADM' WHERE card_id % 99991 = 7`,
	`UPDATE cards SET status = 'Denied', denied_at = modified_at WHERE card_id % 99991 = 8`,
	`UPDATE cards SET last_four = '4242' WHERE card_id % 99991 = 9`,
	`UPDATE cards SET last_name = 'OAKENSHIELD' WHERE card_id % 99991 = 10`,
	`INSERT INTO locked_cards (program_id, card_id)
		SELECT program_id, card_id FROM cards WHERE lock_type <> 'UNL' ON CONFLICT DO NOTHING`,
	`UPDATE card_packing SET newest_card = (SELECT MAX(card_id) FROM cards), looked_at = 0`,
	`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
		INSERT INTO audit (acted_at, actor_kind, key_name, address, route, request_id, reason,
			program_id, customer_id, card_id, subject_kind, subject_id, outcome, card_before,
			card_after)
		SELECT 1767225600000 + i, 'key', 'example1', '127.0.0.1', 'authorize', 'r', '', 1, 1001,
			CARD, 'card', 'CARD', 'approved', '', '{"amount":1.00}' FROM n`,
}

// listPage is a page that an operator asks for: a path below /admin/v1/, with a body for a search.
type listPage struct{ name, path, body string }

var listPages = []listPage{
	{"first page", "cards", ""},
	{"program", "cards?programId=1", ""},
	{"customer", "cards?customerId=CUSTOMER", ""},
	{"common status", "cards?status=Verified", ""},
	{"rare status", "cards?status=Denied", ""},
	{"status of no card", "cards?status=Reissued", ""},
	{"lock", "cards?lock=SYS", ""},
	{"lock of no card", "cards?lock=SYS/PIN", ""},
	{"unlocked", "cards?lock=UNL", ""},
	{"tag", "cards?tag=TAG", ""},
	{"last four", "cards?lastFour=4242", ""},
	{"last four of no card", "cards?lastFour=0000", ""},
	{"common text", "cards?q=bench", ""},
	{"rare text", "cards?q=oakenshield", ""},
	{"text of no card", "cards?q=zzzzzz", ""},
	{"rare text and status", "cards?q=oaken&status=Verified", ""},
	{"text with a rare status", "cards?q=bench&status=Denied", ""},
	{"text with a rare lock", "cards?q=bench&lock=SYS", ""},
	{"whole number", "cards/search", `{"number":"4111111111111111"}`},
	{"card with a long history", "cards/CARD", ""},
	{"history of 10,000 entries", "cards/CARD/history?limit=200", ""},
	{"overview", "overview", ""},
	{"customers by name", "customers?q=sample", ""},
}

// lists measures the pages of operators over the largest database.
func (b *bench) lists(e engine) (err error) {
	cards := b.sizes[len(b.sizes)-1]
	directory, err := b.data(e, cards, "lists")
	if err != nil {
		return err
	}
	db, err := e.open(directory)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var cardID, customerID int
	var tag string
	err = db.QueryRow(`SELECT card_id, customer_id, tag FROM cards WHERE card_id =
		(SELECT MAX(card_id) FROM cards)`).Scan(&cardID, &customerID, &tag)
	if err != nil {
		return err
	}
	for _, text := range rareCards {
		text = strings.ReplaceAll(text, "CARD", strconv.Itoa(cardID))
		if _, err := db.Exec(text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	if err := e.settle(db); err != nil {
		return err
	}
	token, err := b.operatorsToken(directory, e.settings(directory))
	if err != nil {
		return err
	}
	s, err := startServer(b.program, directory, e.settings(directory))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := awaitPacked(db, cards); err != nil {
		return err
	}
	for _, page := range listPages {
		page.path = strings.NewReplacer("CARD", strconv.Itoa(cardID), "TAG", tag,
			"CUSTOMER", strconv.Itoa(customerID)).Replace(page.path)
		if err := b.listPage(s.admin, token, page, cards); err != nil {
			return fmt.Errorf("%s: %w", page.name, err)
		}
	}
	return nil
}

// operatorsToken makes a token on the machine itself.
func (b *bench) operatorsToken(directory, settings string) (string, error) {
	config := filepath.Join(directory, "token.yaml")
	text := "data: " + directory + "\n" + publicURL + settings
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return "", err
	}
	command := exec.Command(b.program, "token", "create", "bench", "--role", "administrator",
		"--config", config)
	command.Stderr = os.Stderr
	out, err := command.Output()
	for word := range strings.FieldsSeq(string(out)) {
		if strings.HasPrefix(word, "mmo_") {
			return word, err
		}
	}
	return "", errors.Join(err, fmt.Errorf("no token in %q", out))
}

// awaitPacked waits until the job has packed the search texts of all cards but the newest.
func awaitPacked(db *sql.DB, cards int) error {
	for began := time.Now(); time.Since(began) < packWithin; time.Sleep(time.Second) {
		packed := 0
		err := db.QueryRow(`SELECT COALESCE(SUM(cards), 0) FROM card_texts`).Scan(&packed)
		if err != nil {
			return err
		}
		if packed > cards-2000 {
			return nil
		}
	}
	return errors.New("the search texts are not packed in time")
}

// listPage asks for a page several times, and notes how long it took.
func (b *bench) listPage(admin, token string, page listPage, cards int) error {
	var took []time.Duration
	items := 0
	for range listRounds {
		began := time.Now()
		count, err := fetchList("http://"+admin+"/admin/v1/"+page.path, token, page.body)
		if err != nil {
			return err
		}
		took = append(took, time.Since(began))
		items = count
	}
	slices.Sort(took)
	b.report.note(fmt.Sprintf("%s of %d cards, %d items", page.name, cards, items),
		fmt.Sprintf("median %s, slowest %s", shown(median(took)), shown(took[len(took)-1])),
		"within 300 ms", took[len(took)-1] < listWithin)
	return nil
}

func fetchList(address, token, body string) (items int, err error) {
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	request, err := http.NewRequest(method, address, bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return 0, errors.Join(err, fmt.Errorf("%s: %s", response.Status, text))
	}
	var list struct{ Items []json.RawMessage }
	err = json.Unmarshal(text, &list)
	return len(list.Items), err
}
