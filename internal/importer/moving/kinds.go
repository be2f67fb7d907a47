package moving

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/program"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/importer"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// kind is a kind of record.
type kind struct {
	name string
	// list writes all records of a program.
	list func(*source, func(row any) error) error
	// read decodes a row for check and put.
	read func(text []byte) (any, error)
	// find reads what check needs from the store, for a group of rows; nil if check needs nothing
	// or there are few rows.
	find func(*target, []checkedRow) error
	// check records what prevents a row from being put.
	check func(*target, any) error
	put   func(*target, any) error
}

// checkedRow is a row to check, with its line.
type checkedRow struct {
	line int
	row  any
}

// kinds holds the kinds in file order: a record comes after what it refers to.
var kinds = []kind{
	kindOf("bank", listBanks, checkBank, putBank),
	kindOf("encryptionKey", listEncryptionKeys, checkEncryptionKey, putEncryptionKey),
	kindOf("document", listDocuments, checkDocument, putDocument),
	kindOf("program", listProgram, checkProgram, putProgram),
	kindOf("bin", listBins, checkBin, putBin),
	kindOf("key", listKeys, checkKey, putKey),
	kindOf("webhook", listWebhooks, checkWebhook, putWebhook),
	kindOf("customer", listCustomers, checkCustomer, putCustomer).finding(findCustomers),
	kindOf("account", listAccounts, checkAccount, putAccount).finding(findAccounts),
	kindOf("access", listAccess, checkAccess, putAccess),
	kindOf("card", listCards, checkCard, putCard).finding(findCards),
	kindOf("number", listNumbers, checkNumber, putNumber).finding(findNumbers),
	kindOf("authorization", listAuthorizations, checkAuthorization, putAuthorization).
		finding(findAuthorizations),
	kindOf("hold", listHolds, checkHold, putHold),
	kindOf("holdEnd", listHoldEnds, checkHoldEnd, putHoldEnd),
	kindOf("sum", listSums, checkSum, putSum),
	kindOf("feed", listFeeds, nil, putFeed),
}

func kindOf[T any](
	name string, list func(*source, func(T) error) error, check, put func(*target, T) error,
) kind {
	return kind{
		name: name,
		list: func(s *source, row func(any) error) error {
			return list(s, func(r T) error { return row(r) })
		},
		read: func(text []byte) (any, error) {
			var r T
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.DisallowUnknownFields()
			err := decoder.Decode(&r)
			return r, err
		},
		check: func(t *target, row any) error {
			if check == nil {
				return nil
			}
			return check(t, row.(T))
		},
		put: func(t *target, row any) error { return put(t, row.(T)) },
	}
}

func (k kind) finding(find func(*target, []checkedRow) error) kind {
	k.find = find
	return k
}

// page is the number of records that are read together, and of rows that are checked together;
// tests change it.
var page = 500

// source is the installation that a program leaves.
type source struct {
	r       store.Tx
	vault   Vault
	program program.Program
}

// target is the installation that a program moves to. During a check, r is a view and tx is nil.
type target struct {
	r, tx      store.Tx
	vault      Vault
	program    int
	reach      subscription.Reach
	problems   *importer.Problems
	line       int
	digests    digests.State
	sealingKey int
	others     others
	checkPDF   func([]byte) (wrong string, err error)
	file       fileRows

	// What the store has under the ids of the rows that are checked together.
	customers map[int]customer.Customer
	accounts  map[int]customer.Account
	cards     map[int]bool
	numbers   map[string]bool // already in use by a card

	authorizations map[string]bool
}

// fileRows are the rows of the file that the check has read. A row may refer only to these: a file
// must not reach other records of the installation.
type fileRows struct {
	bank                       int
	programs                   int // their number; must be one
	bins                       map[int]program.Bin
	customers, accounts, cards map[int]bool
	cardReferences             []cardReference
}

// cardReference is a reference from one card to another. Either may come first: card ids are not
// chronological.
type cardReference struct {
	line int
	path string
	id   int
}

// refer records a reference of the row to a card. Zero means no reference.
func (t *target) refer(path string, id int) {
	if id != 0 {
		t.file.cardReferences = append(t.file.cardReferences, cardReference{t.line, path, id})
	}
}

// checkReferences records a problem for each reference to a card without a row.
func (t *target) checkReferences() {
	for _, to := range t.file.cardReferences {
		if !t.file.cards[to.id] {
			t.problems.Add(to.line, to.path, "refers to %d, which no row is about", to.id)
		}
	}
}

// checkReference records a problem for each reference without an earlier row. Zero means no
// reference.
func (t *target) checkReference(rows map[int]bool, path string, ids ...int) {
	for _, id := range ids {
		if id != 0 && !rows[id] {
			t.problems.Add(t.line, path, "refers to %d, which no row before is about", id)
		}
	}
}

// note records the id of a row, and a problem if it is out of range.
func (t *target) note(rows map[int]bool, path string, id int) {
	if id < 1 || id >= problem.MaxID {
		t.problems.Add(t.line, path, "is not from 1 to %d", problem.MaxID-1)
	}
	rows[id] = true
}

func (t *target) reportTaken(path, what string, id any) {
	t.problems.Add(t.line, path, "there is %s %v already", what, id)
}

// eachPage calls row with each record. It lists the records after the key of the previous page's
// last record, until a page is not full.
func eachPage[T, K any](
	after K, list func(after K) ([]T, error), key func(T) K, row func(T) error,
) error {
	for {
		records, err := list(after)
		if err != nil {
			return err
		}
		for _, record := range records {
			if err := row(record); err != nil {
				return err
			}
			after = key(record)
		}
		if len(records) < page {
			return nil
		}
	}
}

func listBanks(s *source, row func(bankRow) error) error {
	banks, err := s.r.Banks().List()
	for _, b := range banks {
		if b.ID == s.program.BankID {
			err = errors.Join(err, row(bankRow(b)))
		}
	}
	return err
}

// storedBank returns the stored bank with an id, or a zero Bank.
func (t *target) storedBank(id int) (store.Bank, error) {
	banks, err := t.r.Banks().List()
	at := slices.IndexFunc(banks, func(b store.Bank) bool { return b.ID == id })
	if at < 0 {
		return store.Bank{}, err
	}
	return banks[at], err
}

// bankLine is the line on which a file names its bank.
const bankLine = 2

// checkBank checks the bank. A bank, its encryption keys and its documents may have come with
// another program: a file adds nothing to a bank that has programs here.

func checkBank(t *target, row bankRow) error {
	if t.line != bankLine {
		t.problems.Add(t.line, "", "does not stand on line %d, as the bank of the file", bankLine)
		return nil
	}
	t.file.bank = row.ID
	stored, err := t.storedBank(row.ID)
	if stored.ID != 0 && stored.Name != row.Name {
		t.problems.Add(t.line, "bankId", "bank %d is %q here", row.ID, stored.Name)
	}
	return err
}

func putBank(t *target, row bankRow) error {
	stored, err := t.storedBank(row.ID)
	if err != nil || stored.ID != 0 {
		return err
	}
	return t.tx.Banks().Put(store.Bank(row))
}

func listEncryptionKeys(s *source, row func(encryptionKeyRow) error) error {
	for _, k := range s.program.PciKeys {
		if err := row(encryptionKeyRow(k)); err != nil {
			return err
		}
	}
	return nil
}

func (t *target) storedEncryptionKey(id int) (program.PciKey, error) {
	keys, err := t.r.Banks().ListPciKeys()
	at := slices.IndexFunc(keys, func(k program.PciKey) bool { return k.ID == id })
	if at < 0 {
		return program.PciKey{}, err
	}
	return keys[at], err
}

// wantBank records a problem if a row belongs to a bank other than that of the file.
func (t *target) wantBank(id int) {
	if id != t.file.bank {
		t.problems.Add(t.line, "bankId", "is not the bank of the file, %d", t.file.bank)
	}
}

// wantNoPrograms records a problem for something that the bank of the file lacks here, if the bank
// has programs here.
func (t *target) wantNoPrograms(path, what string, id int) {
	if _, has := t.others.zones[t.file.bank]; has {
		t.problems.Add(t.line, path, "bank %d has programs here and no %s %d: load it first",
			t.file.bank, what, id)
	}
}

func checkEncryptionKey(t *target, row encryptionKeyRow) error {
	t.wantBank(row.BankID)
	stored, err := t.storedEncryptionKey(row.ID)
	switch {
	case stored.ID == 0:
		t.wantNoPrograms("pciKeyId", "encryption key", row.ID)
	case stored.BankID != row.BankID || stored.Status != row.Status:
		t.reportTaken("pciKeyId", "another encryption key", row.ID)
	}
	return err
}

func putEncryptionKey(t *target, row encryptionKeyRow) error {
	stored, err := t.storedEncryptionKey(row.ID)
	if err != nil || stored.ID != 0 {
		return err
	}
	return t.tx.Banks().PutPciKey(program.PciKey(row))
}

func listDocuments(s *source, row func(documentRow) error) error {
	return eachPage(0, func(after int) ([]bankdoc.Document, error) {
		return s.r.Documents().ListOfBank(s.program.BankID, after, page)
	}, func(d bankdoc.Document) int { return d.ID }, func(d bankdoc.Document) error {
		whole, err := s.r.Documents().Find(d.BankID, d.ID)
		if err != nil {
			return err
		}
		return row(documentRow(whole))
	})
}

// hasDocument reports whether the installation has a document with the id of the row, and whether
// it is the same document.
func (t *target) hasDocument(row documentRow) (has, same bool, err error) {
	bank, err := t.r.Documents().FindBank(row.ID)
	if missing, err := store.IsMissing(err); missing || err != nil {
		return false, false, err
	}
	stored, err := t.r.Documents().Find(bank, row.ID)
	if err != nil {
		return false, false, err
	}
	return true, stored.Same(bankdoc.Document(row)), nil
}

func checkDocument(t *target, row documentRow) error {
	t.wantBank(row.BankID)
	t.problems.AddAll(t.line, bankdoc.Document(row).Validate())
	has, same, err := t.hasDocument(row)
	switch {
	case err != nil || same:
		return err
	case has:
		t.reportTaken("documentId", "another document", row.ID)
		return nil
	}
	t.wantNoPrograms("documentId", "document", row.ID)
	if len(row.PDF) == 0 {
		return nil
	}
	wrong, err := t.checkPDF(row.PDF)
	if wrong != "" {
		t.problems.Add(t.line, "pdf", "%s", wrong)
	}
	return err
}

func putDocument(t *target, row documentRow) error {
	has, _, err := t.hasDocument(row)
	if err != nil || has {
		return err
	}
	return t.tx.Documents().Put(bankdoc.Document(row))
}

func listProgram(s *source, row func(programRow) error) error {
	of, err := rowOfProgram(s.program)
	if err != nil {
		return err
	}
	return row(of)
}

func checkProgram(t *target, row programRow) error {
	t.file.programs++
	t.wantBank(row.BankID)
	t.problems.AddAll(t.line, row.program(t.program).Validate(t.reach.Sandbox))
	if zone, has := t.others.zones[row.BankID]; has && zone != row.Settings.TimeZone {
		t.problems.Add(t.line, "timeZone", "must be %s, as in the bank's other programs", zone)
	}
	return nil
}

func putProgram(t *target, row programRow) error {
	if err := t.tx.Programs().Put(row.program(t.program)); err != nil {
		return err
	}
	var err error
	t.sealingKey, err = entity.SealingKey(t.tx, t.vault, t.program)
	return err
}

func listBins(s *source, row func(binRow) error) error {
	for _, b := range s.program.Bins {
		if err := row(binRow(b)); err != nil {
			return err
		}
	}
	return nil
}

func checkBin(t *target, row binRow) error {
	b := program.Bin(row)
	b.ProgramID = t.program
	t.file.bins[b.ID] = b
	t.problems.AddAll(t.line, b.Validate())
	for _, other := range t.others.bins {
		switch {
		case other.ID == b.ID:
			t.reportTaken("binId", "BIN", b.ID)
		case other.Overlaps(b):
			t.problems.Add(t.line, "firstBody", "the range shares numbers with that of BIN %d of "+
				"program %d", other.ID, other.ProgramID)
		}
	}
	return nil
}

func putBin(t *target, row binRow) error {
	row.ProgramID = t.program
	return t.tx.Programs().PutBin(program.Bin(row))
}

func listKeys(s *source, row func(keyRow) error) error {
	keys, err := s.r.Keys().List()
	for _, k := range keys {
		if k.ProgramID == s.program.ID {
			err = errors.Join(err, row(keyRow(k)))
		}
	}
	return err
}

func checkKey(t *target, row keyRow) error {
	keys, err := t.r.Keys().List()
	if slices.ContainsFunc(keys, func(k apikey.Key) bool { return k.Name == row.Name }) {
		t.reportTaken("name", "API key", row.Name)
	}
	return err
}

// putKey puts a key without a secret. It gets one by rotation.
func putKey(t *target, row keyRow) error {
	row.ProgramID = t.program
	return t.tx.Keys().Put(apikey.Key(row))
}

func listWebhooks(s *source, row func(webhookRow) error) error {
	webhooks, err := s.r.Webhooks().List(s.program.ID)
	if err != nil {
		return err
	}
	for _, w := range webhooks {
		of := webhookRow{
			Name: w.Name, URL: w.URL, Types: w.Types, Paused: w.Paused, Because: w.PausedBecause,
			Created: w.Created,
		}
		for _, sealed := range w.Secrets {
			text, err := s.vault.OpenWebhookSecret(sealed, s.program.ID)
			if err != nil {
				return err
			}
			of.Secrets = append(of.Secrets, text.Reveal())
		}
		if err := row(of); err != nil {
			return err
		}
	}
	return nil
}

func checkWebhook(t *target, row webhookRow) error {
	w := row.webhook(t.program)
	w.Secrets = make([][]byte, len(row.Secrets)) // encrypted by putWebhook
	t.problems.AddAll(t.line, problem.Check(w))
	if wrong := t.reach.CheckURL(row.URL); wrong != "" {
		t.problems.Add(t.line, "url", "%s", wrong)
	}
	return nil
}

// putWebhook puts a webhook, which receives events from now on.
func putWebhook(t *target, row webhookRow) error {
	w := row.webhook(t.program)
	for _, text := range row.Secrets {
		sealed, err := t.vault.SealWebhookSecret(secret.New(text), t.program)
		if err != nil {
			return err
		}
		w.Secrets = append(w.Secrets, sealed)
	}
	newest, err := store.NewestEvent(t.tx)
	if err != nil {
		return err
	}
	return t.tx.Webhooks().Put(&w, newest)
}

func listCustomers(s *source, row func(customerRow) error) error {
	return eachPage(0, s.customers, func(c customer.Customer) int { return c.ID },
		func(c customer.Customer) error { return row(rowOfCustomer(c)) })
}

func (s *source) customers(after int) ([]customer.Customer, error) {
	ids, err := s.r.Customers().List(store.CustomerQuery{
		Programs: []int{s.program.ID}, After: after, Limit: page,
	})
	if err != nil {
		return nil, err
	}
	byID, err := s.r.Customers().FindMany(ids)
	return inOrder(ids, byID), err
}

// inOrder returns the values of byID in the order of ids.
func inOrder[T any](ids []int, byID map[int]T) []T {
	records := make([]T, len(ids))
	for i, id := range ids {
		records[i] = byID[id]
	}
	return records
}

func findCustomers(t *target, rows []checkedRow) (err error) {
	t.customers, err = t.r.Customers().FindMany(numbersOf(rows, func(r customerRow) int { return r.ID }))
	return err
}

// numbersOf returns the ids of rows.
func numbersOf[T any](rows []checkedRow, number func(T) int) []int {
	numbers := make([]int, len(rows))
	for i, r := range rows {
		numbers[i] = number(r.row.(T))
	}
	return numbers
}

func checkCustomer(t *target, row customerRow) error {
	t.note(t.file.customers, "customerId", row.ID)
	if t.customers[row.ID].ID != 0 {
		t.reportTaken("customerId", "customer", row.ID)
	}
	return nil
}

func putCustomer(t *target, row customerRow) error {
	return t.tx.Customers().Put(row.customer(t.program))
}

func listAccounts(s *source, row func(accountRow) error) error {
	return eachPage(0, func(after int) ([]customer.Account, error) {
		ids, err := s.r.Accounts().List(store.AccountQuery{
			Programs: []int{s.program.ID}, After: after, Limit: page,
		})
		if err != nil {
			return nil, err
		}
		byID, err := s.r.Accounts().FindMany(ids)
		return inOrder(ids, byID), err
	}, func(a customer.Account) int { return a.ID }, func(a customer.Account) error {
		exact(&a.Balance, &a.AvailableBalance, &a.PendingBalance, &a.Held)
		return row(accountRow(a))
	})
}

func findAccounts(t *target, rows []checkedRow) (err error) {
	t.accounts, err = t.r.Accounts().FindMany(numbersOf(rows, func(r accountRow) int { return r.ID }))
	return err
}

func checkAccount(t *target, row accountRow) error {
	t.note(t.file.accounts, "accountId", row.ID)
	t.checkReference(t.file.customers, "customerId", row.CustomerID)
	if t.accounts[row.ID].ID != 0 {
		t.reportTaken("accountId", "account", row.ID)
	}
	return nil
}

func putAccount(t *target, row accountRow) error {
	row.ProgramID = t.program
	return t.tx.Accounts().Put(customer.Account(row))
}

func listAccess(s *source, row func(accessRow) error) error {
	return eachPage(0, s.customers, func(c customer.Customer) int { return c.ID },
		func(c customer.Customer) error {
			accesses, err := s.r.Access().List([]int{c.ID})
			slices.SortFunc(accesses, func(a, b customer.Access) int {
				return a.AccountID - b.AccountID
			})
			for _, a := range accesses {
				err = errors.Join(err, row(accessRow(a)))
			}
			return err
		})
}

func checkAccess(t *target, row accessRow) error {
	t.checkReference(t.file.customers, "customerId", row.CustomerID)
	t.checkReference(t.file.accounts, "accountId", row.AccountID)
	return nil
}

func putAccess(t *target, row accessRow) error {
	return t.tx.Access().Put(customer.Access(row))
}

func listCards(s *source, row func(cardRow) error) error {
	return eachPage(0, func(after int) ([]card.Card, error) {
		return s.r.Cards().ListOfProgram(s.program.ID, after, page)
	}, func(c card.Card) int { return c.ID }, func(c card.Card) error {
		return row(cardRow(c))
	})
}

func findCards(t *target, rows []checkedRow) error {
	names := make([]store.UniqueValues, len(rows))
	for i, r := range rows {
		names[i].CardID = r.row.(cardRow).ID
	}
	taken, err := t.r.Issuance().FindTaken(names)
	t.cards = make(map[int]bool)
	for i, of := range taken {
		t.cards[names[i].CardID] = of.ProgramID != 0
	}
	return err
}

func checkCard(t *target, row cardRow) error {
	t.note(t.file.cards, "cardId", row.ID)
	t.checkReference(t.file.customers, "customerId", row.CustomerID)
	t.checkReference(t.file.customers, "cardHolderCustomerId", row.HolderID)
	t.checkReference(t.file.accounts, "accountIds", row.Slots.All()...)
	t.refer("replaces", row.Replaces)
	t.refer("replacedBy", row.ReplacedBy)
	if row.ID > problem.MaxGivenID {
		t.problems.Add(t.line, "cardId", "is above %d", problem.MaxGivenID)
	}
	if t.file.bins[row.BinID].ID == 0 {
		t.problems.Add(t.line, "binId", "refers to %d, which no row before is about", row.BinID)
	}
	if t.cards[row.ID] {
		t.reportTaken("cardId", "card", row.ID)
	}
	return nil
}

func putCard(t *target, row cardRow) error {
	row.ProgramID = t.program
	c := card.Card(row)
	return t.tx.Cards().Put(&c)
}

func listNumbers(s *source, row func(numberRow) error) error {
	return eachPage(0, func(after int) ([]store.SealedNumber, error) {
		return s.r.CardNumbers().ListOfProgram(s.program.ID, after, page)
	}, func(n store.SealedNumber) int { return n.CardID }, func(n store.SealedNumber) error {
		if err := entity.EnsureBankKey(s.r, s.vault, s.vault.KeyOf(n.Sealed)); err != nil {
			return err
		}
		number, err := s.vault.OpenNumber(n.Sealed, n.CardID)
		if err != nil {
			return fmt.Errorf("the number of card %d: %w", n.CardID, err)
		}
		return row(numberRow{CardID: n.CardID, BinID: n.BinID, Number: number.Reveal()})
	})
}

func findNumbers(t *target, rows []checkedRow) error {
	names := make([]store.UniqueValues, len(rows))
	for i, r := range rows {
		number, err := pan.Parse(r.row.(numberRow).Number)
		if err != nil {
			continue // checkNumber reports it
		}
		if names[i].PAN, err = entity.Digest(t.vault, t.digests, number); err != nil {
			return err
		}
	}
	taken, err := t.r.Issuance().FindTaken(names)
	t.numbers = make(map[string]bool)
	for i, of := range taken {
		t.numbers[rows[i].row.(numberRow).Number] = of.PAN
	}
	return err
}

func checkNumber(t *target, row numberRow) error {
	t.checkReference(t.file.cards, "cardId", row.CardID)
	number, err := pan.Parse(row.Number)
	if err != nil {
		t.problems.Add(t.line, "number", "%s", err)
		return nil
	}
	if !t.file.bins[row.BinID].Owns(number) {
		t.problems.Add(t.line, "number", "does not lie in the range of BIN %d", row.BinID)
	}
	if t.numbers[row.Number] {
		t.problems.Add(t.line, "number", "is that of a card that is stored")
	}
	return nil
}

func putNumber(t *target, row numberRow) error {
	number, err := pan.Parse(row.Number)
	if err != nil {
		return err
	}
	digest, err := entity.Digest(t.vault, t.digests, number)
	if err != nil {
		return err
	}
	sealed, err := t.vault.SealNumber(t.sealingKey, number, row.CardID)
	if err != nil {
		return err
	}
	return t.tx.CardNumbers().Put(store.SealedNumber{
		CardID: row.CardID, BinID: row.BinID, Digest: digest, Sealed: sealed,
		LastFour: number.LastFour(),
	})
}

// listAuthorizations lists all authorizations, newest first, without an age limit: messages of the
// processor about an authorization may arrive at any later time.
func listAuthorizations(s *source, row func(authorizationRow) error) error {
	query := store.AuthorizationQuery{Programs: []int{s.program.ID}, Limit: page}
	for {
		listed, next, err := s.r.Authorizations().List(query)
		if err != nil {
			return err
		}
		for _, a := range listed {
			if err := row(rowOfAuthorization(a)); err != nil {
				return err
			}
		}
		switch {
		case !next.At.IsZero():
			query.Before = next
		case len(listed) == page:
			query.Before = listed[page-1].ListKey()
		default:
			return nil
		}
	}
}

func findAuthorizations(t *target, rows []checkedRow) error {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.row.(authorizationRow).ID
	}
	stored, err := t.r.Authorizations().FindMany(ids)
	t.authorizations = make(map[string]bool)
	for _, a := range stored {
		t.authorizations[a.ID] = true
	}
	return err
}

func checkAuthorization(t *target, row authorizationRow) error {
	t.checkReference(t.file.customers, "customerId", row.Customer)
	t.checkReference(t.file.cards, "cardId", row.CardID)
	t.checkReference(t.file.accounts, "accountId", row.Account)
	if t.authorizations[row.ID] {
		t.reportTaken("authorizationId", "authorization", row.ID)
	}
	return nil
}

func putAuthorization(t *target, row authorizationRow) error {
	return t.tx.Authorizations().Put(row.authorization(t.program))
}

// listHolds lists the open holds, latest end first.
func listHolds(s *source, row func(holdRow) error) error {
	list := func(before authorization.ListKey) ([]authorization.Hold, error) {
		return s.r.Holds().ListEnding(store.HoldQuery{
			Programs: []int{s.program.ID}, Before: before, Limit: page,
		})
	}
	var first authorization.ListKey
	return eachPage(first, list, authorization.Hold.ListKey, func(h authorization.Hold) error {
		exact(&h.Amount)
		return row(holdRow(h))
	})
}

func checkHold(t *target, row holdRow) error {
	t.checkReference(t.file.customers, "customerId", row.CustomerID)
	t.checkReference(t.file.cards, "cardId", row.CardID)
	t.checkReference(t.file.accounts, "accountId", row.AccountID)
	return nil
}

func putHold(t *target, row holdRow) error {
	row.ProgramID = t.program
	return t.tx.Holds().Put(authorization.Hold(row))
}

// listHoldEnds lists the ends of all other holds: a posting may name one of them.
func listHoldEnds(s *source, row func(holdEndRow) error) error {
	return eachPage("", func(after string) ([]authorization.HoldEnd, error) {
		return s.r.Holds().ListEnds(s.program.ID, after, page)
	}, func(e authorization.HoldEnd) string { return e.HoldID },
		func(e authorization.HoldEnd) error { return row(holdEndRow(e)) })
}

func checkHoldEnd(t *target, row holdEndRow) error {
	t.checkReference(t.file.cards, "cardId", row.CardID)
	t.checkReference(t.file.accounts, "accountId", row.AccountID)
	return nil
}

func putHoldEnd(t *target, row holdEndRow) error {
	row.ProgramID = t.program
	return t.tx.Holds().PutEnd(authorization.HoldEnd(row))
}

func listSums(s *source, row func(usageRow) error) error {
	first := authorization.Usage{ProgramID: s.program.ID, CustomerID: -1}
	return eachPage(first, func(behind authorization.Usage) ([]authorization.Usage, error) {
		return s.r.Usages().List(behind, page)
	}, func(u authorization.Usage) authorization.Usage { return u }, func(u authorization.Usage) error {
		exact(&u.OfDay, &u.OfMonth)
		return row(usageRow(u))
	})
}

func checkSum(t *target, row usageRow) error {
	t.checkReference(t.file.customers, "customerId", row.CustomerID)
	return nil
}

func putSum(t *target, row usageRow) error {
	row.ProgramID = t.program
	return t.tx.Usages().Put(authorization.Usage(row))
}

func listFeeds(s *source, row func(feedRow) error) error {
	feeds, err := s.r.Feeds().List(s.program.ID)
	for _, f := range feeds {
		err = errors.Join(err, row(feedRow(f)))
	}
	return err
}

func putFeed(t *target, row feedRow) error {
	row.ProgramID = t.program
	return t.tx.Feeds().Put(store.Feed(row))
}
