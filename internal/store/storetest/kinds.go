package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strings"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/event"
	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/store"
	"mintmark/internal/store/reconciled"
)

// kinds are the kinds of record in the store. The other files test everything else, and further
// promises about records.
var kinds = []record{
	kind[store.Bank]{
		write: "Banks.Put",
		forms: []store.Bank{{Name: longest(50)}, {}},
		key:   func(b *store.Bank, n int) { b.ID = n },
		put:   func(tx store.Tx, b *store.Bank) error { return tx.Banks().Put(*b) },
		list: func(tx store.Tx, _ store.Bank) ([]store.Bank, error) {
			return tx.Banks().List()
		},
		revision: func(b *store.Bank) *int { return &b.Revision },
		ranged:   true,
	},
	kind[program.PciKey]{
		write: "Banks.PutPciKey",
		forms: []program.PciKey{
			{BankID: bankID, Status: program.EncryptAndDecrypt},
			{BankID: bankID, Status: program.DecryptOnly},
			{BankID: bankID, Status: program.Retired},
		},
		key: func(k *program.PciKey, n int) { k.ID = n },
		put: func(tx store.Tx, k *program.PciKey) error { return tx.Banks().PutPciKey(*k) },
		list: func(tx store.Tx, _ program.PciKey) ([]program.PciKey, error) {
			return tx.Banks().ListPciKeys()
		},
		revision: func(k *program.PciKey) *int { return &k.Revision },
		refused: map[string]func(*program.PciKey){
			"bank":   func(k *program.PciKey) { k.BankID = 404 },
			"status": func(k *program.PciKey) { k.Status = 4 },
		},
	},
	kind[program.Program]{
		write: "Programs.Put",
		forms: []program.Program{
			longestProgram(), {Issuing: program.Issuing{BankID: bankID}},
		},
		key: func(p *program.Program, n int) { p.ID = n },
		put: func(tx store.Tx, p *program.Program) error { return tx.Programs().Put(*p) },
		find: func(tx store.Tx, p program.Program) (program.Program, error) {
			return tx.Programs().Find(p.ID)
		},
		list: func(tx store.Tx, _ program.Program) (all []program.Program, err error) {
			ids, err := tx.Programs().List()
			for _, id := range ids {
				p, failed := tx.Programs().Find(id)
				all, err = append(all, p), errors.Join(err, failed)
			}
			names, failed := tx.Programs().ListNames()
			for i, p := range all {
				name := store.ProgramName{
					ID: p.ID, BankID: p.BankID, Name: p.Settings.Name,
					TimeZone: p.Settings.TimeZone, FourEyes: p.FourEyes,
					DecimalCount: p.Settings.DecimalCount,
				}
				if len(names) != len(all) || names[i] != name {
					failed = errors.Join(failed, fmt.Errorf("got names %+v, want %+v", names, name))
				}
			}
			return all, errors.Join(err, failed)
		},
		revision: func(p *program.Program) *int { return &p.Revision },
		refused: map[string]func(*program.Program){
			"bank":     func(p *program.Program) { p.BankID = 404 },
			"window":   func(p *program.Program) { p.VerificationWindowDays = -1 },
			"renewal":  func(p *program.Program) { p.Renewal = "sometimes" },
			"balances": func(p *program.Program) { p.Balances = "somebody" },
		},
		ranged: true,
	},
	kind[program.Bin]{
		write: "Programs.PutBin",
		forms: []program.Bin{
			{
				ProgramID: programID, Vendor: "VS", Description: longest(30), IsActive: true,
				FirstBody: "400000000000000", LastBody: "400000999999999", ValidMonths: 48,
			},
			{ProgramID: programID, Vendor: "MC"},
		},
		key: func(b *program.Bin, n int) { b.ID = n },
		put: func(tx store.Tx, b *program.Bin) error { return tx.Programs().PutBin(*b) },
		list: func(tx store.Tx, b program.Bin) ([]program.Bin, error) {
			of, err := tx.Programs().Find(b.ProgramID)
			return of.Bins, err
		},
		revision: func(b *program.Bin) *int { return &b.Revision },
		refused: map[string]func(*program.Bin){
			"program": func(b *program.Bin) { b.ProgramID = 404 },
			"vendor":  func(b *program.Bin) { b.Vendor = "AX" },
			"months":  func(b *program.Bin) { b.ValidMonths = -1 },
		},
		ranged: true,
	},
	kind[customer.Customer]{
		write: "Customers.Put",
		forms: customers,
		key:   func(c *customer.Customer, n int) { c.ID = n },
		put:   func(tx store.Tx, c *customer.Customer) error { return tx.Customers().Put(*c) },
		find: func(tx store.Tx, c customer.Customer) (customer.Customer, error) {
			return tx.Customers().Find(c.ProgramID, c.ID)
		},
		revision: func(c *customer.Customer) *int { return &c.Revision },
		refused: map[string]func(*customer.Customer){
			"program": func(c *customer.Customer) { c.ProgramID = 404 },
			"status":  func(c *customer.Customer) { c.Status = "Lost" },
			"access":  func(c *customer.Customer) { c.AccessType = "full" },
		},
		ranged: true,
	},
	kind[customer.Account]{
		write: "Accounts.Put",
		forms: []customer.Account{
			{
				ProgramID: programID, CustomerID: creatorID, Type: customer.ForBenefitOf,
				Status: customer.PendingClosed, Name: longest(50), Tag: "Tag ",
				NumberMasked: "***1",
				// These amounts do not fit into a floating-point number.
				Balance:          amount(math.MaxInt64),
				AvailableBalance: amount(math.MinInt64),
				PendingBalance:   amount(-1), Held: amount(7),
				BalanceModified: created, Modified: time.UnixMilli(0).UTC(),
			},
			{
				ProgramID: programID, CustomerID: holderID, Type: customer.Savings,
				Status: customer.PendingOpen,
			},
		},
		key: func(a *customer.Account, n int) { a.ID = n },
		put: func(tx store.Tx, a *customer.Account) error { return tx.Accounts().Put(*a) },
		find: func(tx store.Tx, a customer.Account) (customer.Account, error) {
			match, _, err := tx.Accounts().FindFor(a.ProgramID, a.ID, holderID)
			return match, err
		},
		revision: func(a *customer.Account) *int { return &a.Revision },
		refused: map[string]func(*customer.Account){
			"customer": func(a *customer.Account) { a.CustomerID = foreignID },
			"type":     func(a *customer.Account) { a.Type = "Credit" },
			"status":   func(a *customer.Account) { a.Status = "Frozen" },
		},
		ranged: true,
	},
	kind[customer.Access]{
		write: "Access.Put",
		forms: []customer.Access{
			{CustomerID: holderID, Type: customer.ReadOnly},
			{CustomerID: holderID, Type: customer.FullAccess},
			{CustomerID: holderID, Type: customer.NoAccess},
		},
		key: func(a *customer.Access, n int) { a.AccountID = 201 + n - firstKey },
		put: func(tx store.Tx, a *customer.Access) error { return tx.Access().Put(*a) },
		list: func(tx store.Tx, a customer.Access) ([]customer.Access, error) {
			return tx.Access().List([]int{a.CustomerID})
		},
		unordered: true,
		revision:  func(a *customer.Access) *int { return &a.Revision },
		refused: map[string]func(*customer.Access){
			"customer": func(a *customer.Access) { a.CustomerID = 404 },
			"account":  func(a *customer.Access) { a.AccountID = 404 },
			"type":     func(a *customer.Access) { a.Type = "" },
		},
	},
	kind[bankdoc.Document]{
		write: "Documents.Put",
		forms: []bankdoc.Document{
			{
				BankID: bankID, Culture: "en-US", Type: bankdoc.Types[3], Title: longest(100),
				HTML: "<p>é</p>", PDF: []byte("%PDF-\x00\xff"), HasPDF: true,
				Effective: created, Expires: created.Add(time.Millisecond), Published: created,
			},
			{BankID: bankID, Culture: "es-US", Type: bankdoc.Types[0]},
			{
				BankID: bankID, Culture: "es-US", Type: bankdoc.Types[0],
				HTML: strings.Repeat("<p>é</p>", 200_000),
			},
		},
		key: func(d *bankdoc.Document, n int) { d.ID = n },
		put: func(tx store.Tx, d *bankdoc.Document) error { return tx.Documents().Put(*d) },
		find: func(tx store.Tx, d bankdoc.Document) (bankdoc.Document, error) {
			return tx.Documents().Find(d.BankID, d.ID)
		},
		list: func(tx store.Tx, d bankdoc.Document) ([]bankdoc.Document, error) {
			return tx.Documents().List(d.BankID, strings.ToUpper(d.Culture))
		},
		listed: func(d *bankdoc.Document) {
			d.HTML, d.PDF, d.Revision, d.Published = "", nil, 0, time.Time{}
		},
		revision: func(d *bankdoc.Document) *int { return &d.Revision },
		refused: map[string]func(*bankdoc.Document){
			"bank": func(d *bankdoc.Document) { d.BankID = 404 },
		},
		ranged: true,
	},
	kind[bankdoc.Document]{
		write: "Documents.PutDraft",
		forms: []bankdoc.Document{
			draft(""),
			{
				BankID: bankID, Culture: "es-US", Type: "CardInfo", HTML: "<p>é</p>",
				PDF: []byte("%PDF-\x00"), HasPDF: true,
				Effective: created, Expires: created.Add(time.Hour),
			},
		},
		key: func(d *bankdoc.Document, n int) { d.Title = fmt.Sprint(n) },
		put: func(tx store.Tx, d *bankdoc.Document) error { return tx.Documents().PutDraft(d) },
		find: func(tx store.Tx, d bankdoc.Document) (bankdoc.Document, error) {
			return tx.Documents().FindDraft(bankID, d.ID)
		},
		list: func(tx store.Tx, _ bankdoc.Document) ([]bankdoc.Document, error) {
			return tx.Documents().ListDrafts(bankID, 0, 9)
		},
		listed:   func(d *bankdoc.Document) { d.HTML, d.PDF = "", nil },
		id:       func(d *bankdoc.Document) *int { return &d.ID },
		revision: func(d *bankdoc.Document) *int { return &d.Revision },
	},
	kind[apikey.Key]{
		write: "Keys.Put",
		forms: []apikey.Key{
			{
				Label: "shop", ProgramID: programID, Version: 2,
				Secrets: []apikey.Secret{
					{Digest: []byte{0, 255}, Expires: time.UnixMilli(0).UTC()}, {Digest: []byte{7}},
				},
				Allow:     prefixes("192.0.2.0/24", "2001:db8::1/128"),
				PerSecond: 0.1, Burst: 3, Compatibility: apikey.Compatibilities,
			},
			{ProgramID: otherProgram, Version: 1},
		},
		key: func(k *apikey.Key, n int) {
			k.Name = fmt.Sprint(n)
			if k.Label != "" {
				k.Label = "shop " + k.Name
			}
		},
		put:      func(tx store.Tx, k *apikey.Key) error { return tx.Keys().Put(*k) },
		list:     func(tx store.Tx, _ apikey.Key) ([]apikey.Key, error) { return tx.Keys().List() },
		revision: func(k *apikey.Key) *int { return &k.Revision },
		taken: map[string]func(second, first *apikey.Key){
			"label": func(second, first *apikey.Key) { second.Label = first.Label },
		},
		refused: map[string]func(*apikey.Key){
			"program": func(k *apikey.Key) { k.ProgramID = 404 },
			"version": func(k *apikey.Key) { k.Version = 3 },
			"rate":    func(k *apikey.Key) { k.PerSecond = -0.1 },
			"burst":   func(k *apikey.Key) { k.Burst = -1 },
		},
	},
	kind[program.BankKey]{
		write: "BankKeys.Put",
		forms: []program.BankKey{
			bankKeyIn(program.DecryptOnlyKey, []byte{0, 1, 255}),
			bankKeyIn(program.ActiveKey, []byte{2}),
			bankKeyIn(program.CompromisedKey, []byte{2}), bankKeyIn(program.RetiredKey, nil),
		},
		key: func(k *program.BankKey, n int) { k.ID = n },
		put: func(tx store.Tx, k *program.BankKey) error { return tx.BankKeys().Put(*k) },
		find: func(tx store.Tx, k program.BankKey) (program.BankKey, error) {
			return tx.BankKeys().Find(k.ID)
		},
		list: func(tx store.Tx, _ program.BankKey) ([]program.BankKey, error) {
			return tx.BankKeys().List()
		},
		filled:   func(k *program.BankKey) { k.BankID = otherBank },
		revision: func(k *program.BankKey) *int { return &k.Revision },
		refused: map[string]func(*program.BankKey){
			"state":               func(k *program.BankKey) { k.State = "lost" },
			"number":              func(k *program.BankKey) { k.ID = 0 },
			"retired with a text": func(k *program.BankKey) { k.State = program.RetiredKey },
			"none with a state": func(k *program.BankKey) {
				k.State, k.Wrapped = "compromised", nil
			},
			"pciKeyId": func(k *program.BankKey) { k.PciKeyID = 404 },
		},
	},
	kind[store.Feed]{
		write: "Feeds.Put",
		forms: []store.Feed{
			{
				ProgramID: programID, Sequence: 3, Running: 4, Digest: "ab", Line: 70,
				Report: []byte(`{}`), Changed: created,
			},
			{ProgramID: programID, Report: []byte{}, Changed: created.AddDate(0, 0, 1)},
		},
		key: func(f *store.Feed, n int) { f.Source = fmt.Sprint(n) },
		put: func(tx store.Tx, f *store.Feed) error { return tx.Feeds().Put(*f) },
		find: func(tx store.Tx, f store.Feed) (store.Feed, error) {
			return tx.Feeds().Find(f.ProgramID, f.Source)
		},
		list: func(tx store.Tx, f store.Feed) ([]store.Feed, error) {
			return tx.Feeds().List(f.ProgramID)
		},
		revision: func(f *store.Feed) *int { return &f.Revision },
	},
	kind[subscription.Webhook]{
		write: "Webhooks.Put",
		forms: []subscription.Webhook{
			webhook(""),
			{
				ProgramID: programID, URL: "https://example.com/changed", Created: created,
				Types: event.Filter{"card.locked"}, Secrets: [][]byte{{9}},
			},
		},
		key: func(w *subscription.Webhook, n int) { w.Name = fmt.Sprint(n) },
		put: func(tx store.Tx, w *subscription.Webhook) error { return tx.Webhooks().Put(w, 7) },
		find: func(tx store.Tx, w subscription.Webhook) (subscription.Webhook, error) {
			return tx.Webhooks().Find(w.ID)
		},
		list: func(tx store.Tx, w subscription.Webhook) ([]subscription.Webhook, error) {
			return tx.Webhooks().List(w.ProgramID)
		},
		id:       func(w *subscription.Webhook) *int { return &w.ID },
		revision: func(w *subscription.Webhook) *int { return &w.Revision },
		taken: map[string]func(second, first *subscription.Webhook){
			"name": func(second, first *subscription.Webhook) {
				second.Name = first.Name
			},
		},
	},
	kind[operator.Person]{
		write: "Operators.Put",
		forms: []operator.Person{
			human(""),
			{
				Roles: operator.Roles{operator.Administrator}, Scope: operator.Scope{All: true},
				State: operator.Ended, Created: created,
			},
		},
		key: func(p *operator.Person, n int) {
			p.Name = fmt.Sprint(n)
			if p.OpenID != "" {
				p.OpenID = "https://issuer.example#" + p.Name
			}
		},
		put: func(tx store.Tx, p *operator.Person) error { return tx.Operators().Put(p) },
		find: func(tx store.Tx, p operator.Person) (operator.Person, error) {
			return tx.Operators().Find(p.ID)
		},
		list: func(tx store.Tx, _ operator.Person) ([]operator.Person, error) {
			return tx.Operators().List()
		},
		id:       func(p *operator.Person) *int { return &p.ID },
		revision: func(p *operator.Person) *int { return &p.Revision },
		taken: map[string]func(second, first *operator.Person){
			"name":     func(second, first *operator.Person) { second.Name = first.Name },
			"provider": func(second, first *operator.Person) { second.OpenID = first.OpenID },
		},
	},
	kind[operator.Token]{
		write: "Tokens.Put",
		forms: []operator.Token{
			operatorToken(""),
			{
				Roles: operator.Roles{operator.Auditor}, Scope: operator.Scope{Banks: []int{2}},
				Created: created,
			},
		},
		key: func(o *operator.Token, n int) {
			o.Name, o.Digest = fmt.Sprint(n), fmt.Append(nil, "digest of ", n)
		},
		put: func(tx store.Tx, o *operator.Token) error { return tx.Tokens().Put(o) },
		find: func(tx store.Tx, o operator.Token) (operator.Token, error) {
			return tx.Tokens().Find(o.ID)
		},
		list: func(tx store.Tx, _ operator.Token) ([]operator.Token, error) {
			return tx.Tokens().List()
		},
		id:       func(o *operator.Token) *int { return &o.ID },
		revision: func(o *operator.Token) *int { return &o.Revision },
		taken: map[string]func(second, first *operator.Token){
			"name":   func(second, first *operator.Token) { second.Name = first.Name },
			"digest": func(second, first *operator.Token) { second.Digest = first.Digest },
		},
	},
	kind[operator.Approval]{
		write: "Approvals.Put",
		forms: []operator.Approval{approval(""), endedApproval("")},
		key:   func(a *operator.Approval, n int) { a.Act = fmt.Sprint(n) },
		put:   func(tx store.Tx, a *operator.Approval) error { return tx.Approvals().Put(a) },
		find: func(tx store.Tx, a operator.Approval) (operator.Approval, error) {
			return tx.Approvals().Find(a.ID)
		},
		list: func(tx store.Tx, _ operator.Approval) ([]operator.Approval, error) {
			return tx.Approvals().List(store.ApprovalQuery{Limit: 99})
		},
		descending: true,
		id:         func(a *operator.Approval) *int { return &a.ID },
		revision:   func(a *operator.Approval) *int { return &a.Revision },
	},
	kind[store.ReceivedReport]{
		write: "Reports.Put",
		forms: []store.ReceivedReport{
			longestReport(),
			{
				Report: order.Report{
					CardID: 1, Kind: order.Taken, At: created.AddDate(-90, 0, 0),
				},
				Received: created, Result: order.Applied,
			},
		},
		key: func(r *store.ReceivedReport, n int) { r.ID = fmt.Sprint("report ", n) },
		put: func(tx store.Tx, r *store.ReceivedReport) error { return tx.Reports().Put(*r) },
		find: func(tx store.Tx, r store.ReceivedReport) (store.ReceivedReport, error) {
			return tx.Reports().Find(r.ID)
		},
	},
	kind[store.File]{
		write: "Files.Put",
		forms: []store.File{orderFile(0, "text"), orderFile(0, "")},
		key:   func(f *store.File, n int) { f.Sequence = n },
		put:   func(tx store.Tx, f *store.File) error { return tx.Files().Put(*f) },
		find: func(tx store.Tx, f store.File) (store.File, error) {
			return tx.Files().Find(f.Direction, f.Sequence)
		},
	},
	kind[authorization.Authorization]{
		write: "Authorizations.Put",
		forms: []authorization.Authorization{asked("", 404), {
			Digest: []byte{1},
			Transfer: authorization.Transfer{
				Kind: authorization.Deposit, Amount: amount(math.MaxInt64),
			},
			Decision: authorization.Decision{Reason: authorization.UnknownCard},
			CardID:   math.MaxInt32, Decided: created,
		}},
		key: func(a *authorization.Authorization, n int) { a.ID = fmt.Sprint("auth-", n) },
		put: func(tx store.Tx, a *authorization.Authorization) error {
			return tx.Authorizations().Put(*a)
		},
		find: func(
			tx store.Tx, a authorization.Authorization,
		) (authorization.Authorization, error) {
			return tx.Authorizations().Find(a.ID)
		},
		refused: map[string]func(*authorization.Authorization){
			"amount of nothing": func(a *authorization.Authorization) {
				a.Transfer.Amount = amount(0)
			},
			"approved without an account": func(a *authorization.Authorization) { a.AccountID = 0 },
		},
	},
	kind[authorization.Hold]{
		write: "Holds.Put",
		forms: []authorization.Hold{hold("", 77)},
		key: func(h *authorization.Hold, n int) {
			h.ID = authorization.HoldPrefix(h.CardID) + fmt.Sprint(n)
		},
		put: func(tx store.Tx, h *authorization.Hold) error { return tx.Holds().Put(*h) },
		list: func(tx store.Tx, h authorization.Hold) ([]authorization.Hold, error) {
			return tx.Holds().List(h.CardID)
		},
	},
	kind[authorization.Reversal]{
		write: "Reversals.Put",
		forms: []authorization.Reversal{{
			Digest: []byte{7}, AuthorizationID: "auth", At: created, Done: created.Add(time.Second),
			Result: authorization.PartlyReversed,
		}},
		key: func(r *authorization.Reversal, n int) { r.ID = fmt.Sprint("reversal-", n) },
		put: func(tx store.Tx, r *authorization.Reversal) error { return tx.Reversals().Put(*r) },
		find: func(tx store.Tx, r authorization.Reversal) (authorization.Reversal, error) {
			return tx.Reversals().Find(r.ID)
		},
	},
	kind[authorization.Posting]{
		write: "Postings.Put",
		forms: []authorization.Posting{posting("", 77), {
			Digest: []byte{7}, ProgramID: programID, CustomerID: creatorID, CardID: 77,
			AccountID: 201, Kind: authorization.Deposit, Amount: amount(math.MaxInt64),
			Posted: created,
		}},
		key: func(p *authorization.Posting, n int) { p.ID = fmt.Sprint("posting-", n) },
		put: func(tx store.Tx, p *authorization.Posting) error { return tx.Postings().Put(*p) },
		find: func(tx store.Tx, p authorization.Posting) (authorization.Posting, error) {
			return tx.Postings().Find(p.ID)
		},
	},
	kind[store.IdempotencyRecord]{
		write: "CallerAnswers.Put",
		forms: []store.IdempotencyRecord{
			{
				IdempotencyScope: store.IdempotencyScope{APIKey: keyName, Route: "POST /card/lock"},
				BodyDigest:       []byte{1, 0}, HTTP: 400, Answer: []byte(`{"é":1}`), At: created,
			},
			{
				IdempotencyScope: store.IdempotencyScope{APIKey: keyName, Route: "POST /card/lock"},
				HTTP:             200, At: created,
			},
		},
		key: func(r *store.IdempotencyRecord, n int) { r.Key = fmt.Sprint("K-", n) },
		put: func(tx store.Tx, r *store.IdempotencyRecord) error {
			return tx.CallerAnswers().Put(*r)
		},
		find: func(tx store.Tx, r store.IdempotencyRecord) (store.IdempotencyRecord, error) {
			return tx.CallerAnswers().Find(r.IdempotencyScope)
		},
		refused: map[string]func(*store.IdempotencyRecord){
			"key": func(r *store.IdempotencyRecord) { r.APIKey = "nobody" },
		},
	},
	kind[store.IdempotencyRecord]{
		write: "OperatorAnswers.Put",
		forms: []store.IdempotencyRecord{operatorAnswer("", created)},
		key:   func(r *store.IdempotencyRecord, n int) { r.Key = fmt.Sprint("K-", n) },
		put: func(tx store.Tx,
			r *store.IdempotencyRecord) error {
			return tx.OperatorAnswers().Put(*r)
		},
		find: func(tx store.Tx, r store.IdempotencyRecord) (store.IdempotencyRecord, error) {
			return tx.OperatorAnswers().Find(r.IdempotencyScope)
		},
	},
	kind[store.SealedNumber]{
		write: "CardNumbers.Put",
		forms: []store.SealedNumber{
			{BinID: binID, Sealed: []byte{9}, LastFour: "0007"}, {BinID: binID, Sealed: []byte{8}},
		},
		key: func(p *store.SealedNumber, n int) {
			p.CardID, p.Digest = n, digested(fmt.Append(nil, "\x00\xff", n))
		},
		put: func(tx store.Tx, p *store.SealedNumber) error {
			state, err := tx.CardNumbers().FindDigestState()
			if err != nil {
				return err
			}
			put := *p
			put.Digest.Generation = state.Generation
			return tx.CardNumbers().Put(put)
		},
		find: func(tx store.Tx, p store.SealedNumber) (store.SealedNumber, error) {
			return tx.CardNumbers().Find(programID, p.CardID)
		},
		taken: map[string]func(second, first *store.SealedNumber){
			"digest": func(second, first *store.SealedNumber) { second.Digest = first.Digest },
			"card":   func(second, first *store.SealedNumber) { second.CardID = first.CardID },
		},
		refused: map[string]func(*store.SealedNumber){
			"card": func(p *store.SealedNumber) { p.CardID = 404 },
			"BIN":  func(p *store.SealedNumber) { p.BinID = 404 },
		},
	},
	kind[store.Notice]{
		write: "Due.PutNotice",
		forms: []store.Notice{{Kind: store.KeyExpiring, Moment: created}},
		key:   func(n *store.Notice, number int) { n.Subject = fmt.Sprint("k1/", number) },
		put:   func(tx store.Tx, n *store.Notice) error { return tx.Due().PutNotice(*n) },
		find: func(tx store.Tx, n store.Notice) (store.Notice, error) {
			ok, err := tx.Due().HasNotice(n)
			if !ok {
				return store.Notice{}, errors.Join(err, store.ErrNotFound)
			}
			return n, err
		},
	},
	kind[operator.Session]{
		write: "Sessions.Put",
		forms: []operator.Session{
			{Data: []byte{0, 1, 255}, Expires: created},
			{Data: []byte{2}, Expires: created.Add(time.Hour)},
		},
		key: func(s *operator.Session, n int) { s.Digest = fmt.Append(nil, n) },
		put: func(tx store.Tx, s *operator.Session) error { return tx.Sessions().Put(*s) },
		find: func(tx store.Tx, s operator.Session) (operator.Session, error) {
			return tx.Sessions().Find(s.Digest)
		},
		replaced: true,
	},
	kind[operator.Credential]{
		write: "Operators.PutCredential",
		forms: []operator.Credential{
			{Password: "$argon2id$x", TOTP: []byte{0, 255}, LastStep: 1 << 40},
			{Password: "$argon2id$y"},
		},
		key: func(c *operator.Credential, n int) { c.PersonID = n - firstKey + 1 },
		put: func(tx store.Tx,
			c *operator.Credential) error {
			return tx.Operators().PutCredential(*c)
		},
		find: func(tx store.Tx, c operator.Credential) (operator.Credential, error) {
			return tx.Operators().FindCredential(c.PersonID)
		},
		replaced: true,
	},
	kind[operator.Invitation]{
		write: "Operators.PutInvitation",
		forms: []operator.Invitation{
			{TOTP: []byte{1, 0}, Expires: created}, {TOTP: []byte{2}, Expires: created.Add(time.Hour)},
		},
		key: func(i *operator.Invitation, n int) {
			i.PersonID, i.Digest = n-firstKey+1, fmt.Append(nil, "digest of ", n)
		},
		put: func(tx store.Tx,
			i *operator.Invitation) error {
			return tx.Operators().PutInvitation(*i)
		},
		find: func(tx store.Tx, i operator.Invitation) (operator.Invitation, error) {
			return tx.Operators().FindInvitation(i.Digest)
		},
		replaced: true,
	},
	kind[store.JobState]{
		write: "Jobs.Put",
		forms: []store.JobState{
			{
				Node: "node-2", Began: created, Ended: created.Add(time.Second), Done: true,
				Next: created.Add(time.Hour), Error: "no bröom", Failed: created.Add(-time.Hour),
			},
			{Node: "node-1", Began: created.Add(time.Minute), Next: created.Add(time.Minute)},
		},
		key: func(j *store.JobState, n int) { j.Name = fmt.Sprint("job ", n) },
		put: func(tx store.Tx, j *store.JobState) error { return tx.Jobs().Put(*j) },
		find: func(tx store.Tx, j store.JobState) (store.JobState, error) {
			return tx.Jobs().Find(j.Name)
		},
		list: func(tx store.Tx, _ store.JobState) ([]store.JobState, error) {
			return tx.Jobs().List()
		},
		replaced: true,
	},
	kind[subscription.Delivery]{
		write: "Deliveries.Put",
		forms: []subscription.Delivery{
			delivery(parentWebhook, 0, 5001, created),
			{
				WebhookID: parentWebhook, Lane: 5001, Type: event.CardLocked,
				State: subscription.Dead, Since: created,
			},
		},
		key: func(d *subscription.Delivery, n int) { d.Sequence = n },
		put: func(tx store.Tx, d *subscription.Delivery) error { return tx.Deliveries().Put(*d) },
		find: func(tx store.Tx, d subscription.Delivery) (subscription.Delivery, error) {
			return tx.Deliveries().Find(d.WebhookID, d.Sequence)
		},
		list: func(tx store.Tx, d subscription.Delivery) ([]subscription.Delivery, error) {
			return tx.Deliveries().List(d.WebhookID, "", 0, 99)
		},
		descending: true,
		replaced:   true,
	},
	kind[subscription.Replay]{
		write: "Deliveries.PutReplay",
		forms: []subscription.Replay{
			{
				WebhookID: parentWebhook, From: created, To: created.Add(time.Hour), Position: 3, Last: 9,
				Created: created, Types: event.Filter{"card.*"},
			},
			{
				WebhookID: parentWebhook, From: created, To: created.Add(time.Hour), Position: 9, Last: 9,
				Created: created, Types: event.Filter{"card.*"}, Sent: 5, Ended: created.Add(time.Minute),
			},
		},
		key: func(r *subscription.Replay, n int) { r.Count = n },
		put: func(tx store.Tx,
			r *subscription.Replay) error {
			return tx.Deliveries().PutReplay(r)
		},
		list: func(tx store.Tx, r subscription.Replay) ([]subscription.Replay, error) {
			return tx.Deliveries().ListReplays(r.WebhookID, 99)
		},
		descending: true,
		id:         func(r *subscription.Replay) *int { return &r.ID },
		replaced:   true,
	},
	kind[reconciled.Report]{
		write: "Reconciliations.Put",
		forms: []reconciled.Report{
			aReport(programID, reconciled.Cards),
			{ProgramID: programID, Kind: reconciled.Balances, At: created, Made: created},
		},
		key: func(r *reconciled.Report, n int) { r.Digest = fmt.Sprint(n) },
		put: func(tx store.Tx, r *reconciled.Report) error { return tx.Reconciliations().Put(r) },
		find: func(tx store.Tx, r reconciled.Report) (reconciled.Report, error) {
			return tx.Reconciliations().Find(r.ID)
		},
		list: func(tx store.Tx, _ reconciled.Report) ([]reconciled.Report, error) {
			return tx.Reconciliations().List(reconciled.Query{Limit: 99})
		},
		listed:     func(r *reconciled.Report) { r.Differences = nil },
		descending: true,
		id:         func(r *reconciled.Report) *int { return &r.ID },
	},
}

const parentWebhook = 1 // the ID of the webhook of parents

// otherPciKey is the encryption key of the other bank.
var otherPciKey = program.PciKey{ID: otherPciKeyID, BankID: otherBank, Status: program.DecryptOnly}

func bankKeyIn(state program.BankKeyState, wrapped []byte) program.BankKey {
	return program.BankKey{PciKeyID: otherPciKeyID, State: state, Made: created, Wrapped: wrapped}
}

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// customers include dates that a careless store could mistake for the zero time.
var customers = []customer.Customer{
	{
		Standing: customer.Standing{
			ProgramID: programID, Status: customer.ManualReview,
			AccessType: customer.AccountOnly, IsActive: true,
			Birth: time.Date(1931, 12, 31, 0, 0, 0, 0, time.UTC),
		},
		FirstName: longest(64), LastName: longest(128), MobilePhone: "+41 1", Mailing: zurich,
	},
	{
		Standing: customer.Standing{
			ProgramID: otherProgram, Status: customer.Denied, AccessType: customer.None,
			IsLocked: true, Deceased: time.Unix(0, 0).UTC(),
			Birth: time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC),
		},
		HomePhone: "2", Residence: zurich,
	},
	{Standing: customer.Standing{
		ProgramID: programID, Status: customer.Archived, AccessType: customer.CardOnly,
	}},
}

var zurich = customer.Address{
	Line1: longest(50), Line2: `"2"`, City: "Zürich", Region: "ZH", PostalCode: "8001",
	Country: "CH",
}

// settings are program settings with at least one value of every type.
const settings = `{
	"decimalCount": 4, "filledDate": "2026-01-02T03:04:05.678+01:00", "isInterestEnabled": true,
	"name": "Exämple", "perUserDailyDepositLimit": {"minimumAmount": 0, "maximumAmount": 12.3456},
	"regDFeeAmount": -0.05, "regDMonthlyTransactionWithdrawCountMax": 0, "timeZone": "Asia/Tokyo",
	"accounts": [{"accountBalance": 7.5, "accountId": 1, "type": "CardSettlement"}],
	"externalAccounts": [{"nachaName": "N", "isActive": true}],
	"products": [{"productId": 3, "isInterestEnabled": false, "interestRates": [{
		"apr": 0.12345678901, "apy": 1, "effectiveDate": "2026-01-01", "maximumAmount": 1.5
	}]}],
	"bank": {"maintenanceStartDate": "2026-01-01T00:00:00Z", "name": "First"},
	"publicKeyAlgorithms": "NONE", "validAccountTypes": ["Checking"]
}`

func longestProgram() program.Program {
	p := program.Program{Issuing: program.Issuing{
		BankID: bankID, VerificationWindowDays: 45, Renewal: program.Automatic,
		Balances: program.ByMintmark,
	}, FourEyes: true}
	if err := json.Unmarshal([]byte(settings), &p.Settings); err != nil {
		panic(err) // the constant above is invalid
	}
	// An amount that is printed with fewer digits than it has must not lose any.
	p.Settings.PerUserTotalAccountBalanceMax = &value.Amount{TenThousandths: 15000}
	return p
}

func longestReport() store.ReceivedReport {
	r := report("")
	r.Reason, r.OrderID = longest(500), longest(100)
	return r
}

// human returns an operator with a value in every field that Put stores.
func human(name string) operator.Person {
	return operator.Person{
		Name: name, Roles: operator.Roles{operator.Support, operator.Auditor},
		Scope: operator.Scope{Banks: []int{1, 7}}, State: operator.Active,
		OpenID: "https://issuer.example#" + name, Created: created,
		SessionsSince: created.Add(time.Millisecond),
	}
}

// operatorToken returns a token with a value in every field that Put stores.
func operatorToken(name string) operator.Token {
	return operator.Token{
		Name: name, Digest: []byte("digest of " + name),
		Roles: operator.Roles{operator.Configurator}, Scope: operator.Scope{All: true},
		Owner:   operator.Owner{Kind: operator.OwnedByPerson, ID: 3},
		Created: created, Expires: created.Add(time.Hour), Revoked: created.Add(time.Minute),
	}
}

// approval returns an approval with a value in every field that it has from the start.
func approval(act string) operator.Approval {
	return operator.Approval{
		State: operator.Waiting, Act: act, Method: "POST", Path: "programs/11/keys",
		Body: []byte(`{"name":"a"}`), IfMatch: 3, Roles: operator.Roles{operator.Security},
		Location: operator.Location{ProgramID: programID, BankID: bankID}, Subject: "program:11",
		Reason: "because",
		AskedBy: operator.Identity{
			Name: "ada", IsToken: true, ID: 7, Roles: operator.Roles{operator.Support},
			Scope: operator.Scope{Banks: []int{1, 2}},
			Owner: operator.Owner{Kind: operator.OwnedByPerson, ID: 3},
		},
		Asked: created, Lapses: created.Add(time.Hour),
	}
}

// endedApproval returns an approval with a value in every field.
func endedApproval(act string) operator.Approval {
	a := approval(act)
	a.State, a.Ended, a.Why = operator.Done, created, "looked"
	a.EndedBy = operator.Identity{Name: "bob", IsToken: true, ID: 8}
	a.Begun, a.Status, a.Result = created, 201, []byte{0, 1}
	return a
}
