package console

import (
	"encoding/json"
	"fmt"
	"time"

	wire "mintmark/client/admin"
)

// ago returns the time d before at.
func ago(d time.Duration) time.Time { return at.Add(-d) }

func agoPointer(d time.Duration) *time.Time {
	then := ago(d)
	return &then
}

// fixtures returns the responses of the interface by path.
func fixtures() map[string]any {
	return map[string]any{
		"banks": wire.List[wire.Bank]{Items: []wire.Bank{
			{ID: 1, Revision: 1, Name: "Example Bank 1"},
		}},
		"programs": wire.List[wire.Program]{Items: []wire.Program{
			{ID: 1, Revision: 3, BankID: 1, Name: "Example1", FourEyes: true, Renewal: "automatic",
				Balances: "core", VerificationWindowDays: 45, Settings: map[string]json.RawMessage{
					"timeZone": json.RawMessage(`"America/Chicago"`),
				}},
		}},
		"approvals": wire.List[wire.Approval]{Items: approvals()},
		"overview":  overviewAnswer(),

		"charts/authorizations": chartOf("approved", 60, "limit", 7, "insufficientFunds", 5),
		"charts/orders":         chartOf("waiting", 4), "charts/orderAge": chartOf("seconds", 90),
		"charts/deliveries": chartOf("succeeded", 0, "failed", 0),
		"charts/requests":   chartOf("succeeded", 970, "refused", 12, "failed", 1),
		"charts/cards":      chartOf("ordered", 3, "verified", 2, "locked", 1),

		"audit":      wire.List[wire.Entry]{Items: history()},
		"cards":      wire.List[wire.Card]{Items: cardList(), Next: "bmV4dA"},
		"cards/5001": cardAnswer(),
		"cards/5001/history?cursor=b2xkZXI&limit=50": listOf[wire.Entry](),
		"cards/5001/history":                         wire.List[wire.Entry]{Items: history(), Next: "b2xkZXI"},
		"cards/10533":                                pendingCard(),
		"cards/10533/history": wire.List[wire.Entry]{
			Items: []wire.Entry{},
		},
		"authorizations": listOf(declinedOverLimit(), approvedHere()),
		"customers":      wire.List[wire.Customer]{Items: []wire.Customer{ada(), tomas()}},
		"customers/1001": ada(),
		"accounts":       wire.List[wire.Account]{Items: accounts()},

		"customers/1001/erase?dryRun=true":   json.RawMessage(erased),
		"accounts?customerId=1001&limit=200": wire.List[wire.Account]{Items: accounts()},
		"cards?customerId=1001&limit=200":    wire.List[wire.Card]{Items: cardList()[:2]},
	}
}

// erased is the response to a dry run that erases a customer.
const erased = `{"id":1001,"revision":1,"firstName":"Erased","lastName":"customer","changes":[
	{"pointer":"/firstName","from":"Ada","to":"Erased"},
	{"pointer":"/isActive","from":true,"to":false},
	{"pointer":"/residence","from":{"line1":"1 Main Street","city":"Springfield",
		"postalCode":"12345","country":"US"}}]}`

func approvals() []wire.Approval {
	return []wire.Approval{{
		ID: 12, Revision: 1, State: "waiting", Act: "clear the lock of card 5001",
		Method: "POST", Path: wire.Prefix + "cards/5001/unlock", Subject: "card:5001", ProgramID: 1, BankID: 1,
		IfMatch: 6,
		Reason:  "Called back on the number on file; all three purchases confirmed.",
		AskedBy: "support", Requester: wire.Actor{Kind: "operator", ID: 2, Name: "support"},
		Asked: ago(2 * time.Minute), Lapses: ago(-24 * time.Hour), MayEnd: true,
	}}
}

// chartOf returns a chart of a day, whose series have a count every third hour. pairs alternates
// names and numbers.
func chartOf(pairs ...any) wire.Chart {
	const day = 24
	chart := wire.Chart{From: ago(0).Truncate(time.Hour).Add((1 - day) * time.Hour)}
	for i := 0; i < len(pairs); i += 2 {
		series := wire.ChartSeries{Name: pairs[i].(string), Counts: make([]int, day)}
		for hour := 0; hour < day; hour += 3 {
			series.Counts[hour] = pairs[i+1].(int) * (hour + 1)
			series.Total += series.Counts[hour]
		}
		chart.Series = append(chart.Series, series)
	}
	return chart
}

func overviewAnswer() wire.Overview {
	o := wire.Overview{
		Cards: []wire.Count{
			{Name: "Verified", Count: 41208}, {Name: "PendingVerification", Count: 2914},
			{Name: "Initiated", Count: 611}, {Name: "ReissuePendingVerification", Count: 207},
			{Name: "Expired", Count: 1480}, {Name: "Reissued", Count: 1966},
			{Name: "Denied", Count: 93}, {Name: "Archived", Count: 5344},
		},
		Locked: 418, Refused: 22, Actors: []wire.ActorCount{
			{Kind: "key", Acts: 6102, Refused: 19}, {Kind: "operator", Acts: 86, Refused: 3},
		},
		Orders: []wire.Count{
			{Name: "waiting", Count: 5}, {Name: "sent", Count: 2}, {Name: "failed", Count: 1},
		},
		Oldest: agoPointer(252 * time.Second), Webhooks: 9, Failing: 1, Expiring: 1, Asked: 1,
		SealingLagSeconds: 0.4, Sealed: 918273, At: at,
		Attention: []wire.Attention{
			{Kind: "openLocks", Count: 2, Detail: "sent", Since: agoPointer(44 * time.Minute)},
			{Kind: "processor", Count: 3, Since: agoPointer(time.Hour)},
			{Kind: "program", ID: "1", Name: "Example1", ProgramID: 1, Since: agoPointer(3 * time.Hour)},
			{Kind: "webhook", ID: "4", Name: "Core bus", ProgramID: 1, Count: 38, Detail: "502",
				Since: agoPointer(170 * time.Minute)},
			{Kind: "failedOrders", Count: 1, Since: agoPointer(26 * time.Hour)},
			{Kind: "unreachedOrders", Count: 5, Since: agoPointer(252 * time.Second)},
			{Kind: "compromise", ID: "3", Name: "shop", ProgramID: 1, Count: 97_000, Detail: "lock",
				Since: agoPointer(50 * time.Hour)},
			{Kind: "reconciliation", ID: "5", Name: "balances", ProgramID: 1, Count: 2,
				Since: agoPointer(7 * time.Hour)},
			{Kind: "backup", Since: agoPointer(49 * time.Hour)},
			{Kind: "job", ID: "renew cards", Name: "renew cards", Detail: "disk full",
				Since: agoPointer(5 * time.Minute)},
			{Kind: "approval", ID: "12", Name: "sela", ProgramID: 1,
				Detail: "unlock a card card:5001", Since: agoPointer(time.Hour),
				Until: agoPointer(-23 * time.Hour)},
			{Kind: "key", ID: "mmk_core", Name: "core-batch", ProgramID: 1,
				Until: agoPointer(-9 * 24 * time.Hour)},
		},
	}
	for hour := range 24 {
		then := at.Truncate(time.Hour).Add(time.Duration(hour-23) * time.Hour)
		o.Acts = append(o.Acts, wire.Count{
			Name: then.Format(time.RFC3339), Count: 40 + (hour*hour*37)%500,
		})
	}
	return o
}

func cardList() []wire.Card {
	names := []string{
		"Tomás Villareal", "Ines Kowalczyk", "Ruth Abernathy", "Marguerite St. Clair-Dubois",
		"Leif Sandström", "Noor Haddad",
	}
	statuses := []string{
		"Verified", "PendingVerification", "Verified", "Initiated", "Reissued", "Archived",
	}
	locks := [][2]string{{}, {}, {"SYS", "FRD"}, {}, {"CST", "LST"}, {"CST", "TMP"}}
	var all []wire.Card
	for i, name := range names {
		c := wire.Card{
			ID: 10517 - i, Revision: i + 1, ProgramID: 1, CustomerID: 1001,
			CardHolderCustomerID: 1001 + i, HolderName: name, TypeCode: "DB", VendorTypeCode: "VS",
			BinID: 1, Status: statuses[i], LockTypeCode: locks[i][0],
			LockReasonTypeCode: locks[i][1], NumberMasked: fmt.Sprintf("************%04d", 932+i),
			ExpireMonth: 2, ExpireYear: 2030, Tag: "tag-" + itoa(i),
			CreatedDate: ago(48 * time.Hour), ModifiedDate: ago(time.Duration(i*7) * time.Hour),
		}
		if c.Status == "Initiated" || c.Status == "PendingVerification" {
			c.NumberMasked = "****************"
			c.Tag = ""
		}
		all = append(all, c)
	}
	return all
}

func accounts() []wire.Account {
	return []wire.Account{
		{ID: 2001, ProgramID: 1, CustomerID: 1001, Type: "Checking", Status: "Open",
			NumberMasked: "****2001", AccountBalance: "1482.55", AvailableBalance: "1282.55",
			Held: "200.00", Name: "Everyday"},
		{ID: 2002, ProgramID: 1, CustomerID: 1001, Type: "Checking", Status: "Open",
			NumberMasked: "****2002", AccountBalance: "640.00", AvailableBalance: "640.00",
			Held: "0.00"},
		{ID: 2003, ProgramID: 1, CustomerID: 1001, Type: "Checking", Status: "Dormant",
			NumberMasked: "****2003", AccountBalance: "75.20", AvailableBalance: "75.20",
			Held: "0.00"},
		{ID: 2006, ProgramID: 1, CustomerID: 1001, Type: "Savings", Status: "Open",
			NumberMasked: "****2006", AccountBalance: "5010.00", AvailableBalance: "5010.00",
			Held: "0.00"},
	}
}

func cardAnswer() wire.CardDetail {
	card := wire.Card{
		ID: 5001, Revision: 6, ProgramID: 1, CustomerID: 1001, CardHolderCustomerID: 1001,
		HolderName: "Ada Merrill", NumberMasked: "************1111", TypeCode: "DB",
		VendorTypeCode: "VS", BinID: 1, Status: "Verified", LockTypeCode: "SYS",
		LockReasonTypeCode: "ADM", LockedDate: agoPointer(23 * time.Minute), Tag: "demo-5001",
		NickName: "Demo 5001", NameOnCard: "ADA Q MERRILL", ExpireMonth: 1, ExpireYear: 2030,
		CreatedDate: ago(600 * time.Hour), ModifiedDate: ago(23 * time.Minute),
	}
	detail := wire.CardDetail{
		Card: card, VerifiedDate: agoPointer(599 * time.Hour),
		Replaces: &wire.CardLink{CardID: 4999}, ReplacedBy: &wire.CardLink{CardID: 5010},
		Lock: &wire.Lock{
			TypeCode: "SYS", ReasonTypeCode: "ADM", At: agoPointer(23 * time.Minute),
			By:     &wire.Actor{Kind: "operator", Name: "support"},
			Reason: "Caller could not name two of the last three purchases.",
		},
		Holds: []wire.Hold{{
			ID: "abcdefghijklmnop", AuthorizationID: "90409", AccountID: 2001, Kind: "withdrawal",
			Amount: "200.00", Placed: ago(27 * time.Minute), Ends: ago(-167 * time.Hour),
		}},
		Orders: []wire.Order{
			{ID: "4410-xyz", Number: 4410, CardID: 5001, Sequence: 6, Kind: "card.lock",
				State: "sent", Attempts: 1, Created: ago(23 * time.Minute)},
			{ID: "4402-abc", Number: 4402, CardID: 5001, Sequence: 5, Kind: "card.accounts",
				State: "waiting", Attempts: 12, Created: ago(3 * time.Hour),
				NextTry: agoPointer(-13 * time.Minute), LastError: "500 from the processor"},
		},
		Acts: []wire.CardAct{
			{Name: "lock", Possible: true},
			{Name: "unlock", Possible: true, NeedsOther: true},
			{Name: "reissue", Why: "The card is locked by the system.", Code: 150402},
			{Name: "archive", Possible: true},
		},
	}
	for i, account := range accounts() {
		detail.Accounts = append(detail.Accounts, wire.CardAccount{
			Account: account, Priority: i%3 + 1, Primary: i == 0,
		})
	}
	return detail
}

func pendingCard() wire.CardDetail {
	card := cardList()[1]
	card.ID = 10533
	return wire.CardDetail{
		Card: card, Accounts: []wire.CardAccount{}, Holds: []wire.Hold{}, Orders: []wire.Order{},
		Acts: []wire.CardAct{
			{Name: "lock", Possible: true},
			{Name: "unlock", Why: "The card is not locked.", Code: 150501},
			{Name: "reissue", Possible: true}, {Name: "archive", Possible: true},
		},
	}
}

func history() []wire.Entry {
	entry := func(before time.Duration, kind, name, act, outcome string) wire.Entry {
		return wire.Entry{
			ID: 1, Sequence: 1, At: ago(before), Actor: wire.Actor{Kind: kind, Name: name},
			RequestID: "f2a6d790-1e43-4c8a-93b7-6b5d0e8c7a12", Act: act, Outcome: outcome,
			Subject: "card:5001", ProgramID: 1, BankID: 1, Address: "192.0.2.7",
		}
	}
	lock := entry(23*time.Minute, "operator", "support", "lock card", "changed")
	lock.Reason = "Caller could not name two of the last three purchases."
	lock.Before = json.RawMessage(`{"lockReasonTypeCode":"UNK","lockTypeCode":"UNL"}`)
	lock.After = json.RawMessage(`{"lockReasonTypeCode":"ADM","lockTypeCode":"SYS"}`)
	declined := entry(16*time.Minute, "processor", "processor", "authorize", "declined")
	declined.After = json.RawMessage(
		`{"accountId":2001,"amount":18.40,"approved":false,"kind":"purchase","reason":"locked"}`)
	approved := entry(27*time.Minute, "processor", "processor", "authorize", "approved")
	approved.After = json.RawMessage(`{"accountId":2001,"amount":200.00,"approved":true,` +
		`"kind":"withdrawal","reason":"approved"}`)
	moved := entry(30*time.Hour, "key", "example1", "POST /card/reprioritizeAccount", "changed")
	moved.Before = json.RawMessage(`{"checking":"[2001 2003 2002]"}`)
	moved.After = json.RawMessage(`{"checking":"[2001 2002 2003]"}`)
	return []wire.Entry{
		entry(4*time.Minute, "operator", "auditor", "read card", "read"),
		entry(12*time.Minute, "key", "example1", "POST /card/unlock", "refused"),
		declined, lock, approved, moved,
		entry(600*time.Hour, "load", "sandbox", "load", "created"),
	}
}

func ada() wire.Customer {
	return wire.Customer{
		ID: 1001, Revision: 2, ProgramID: 1, Status: "Verified", Access: "FULL", FirstName: "Ada",
		LastName: "Merrill", MobilePhone: "+15555550101", IsActive: true,
		Residence: &wire.Address{
			Line1: "12 Ford Lane", City: "Des Moines", Region: "IA", PostalCode: "50309",
			Country: "US",
		},
	}
}

func tomas() wire.Customer {
	return wire.Customer{
		ID: 1002, Revision: 1, ProgramID: 1, Status: "Verified", Access: "CARD",
		FirstName: "Tomás", LastName: "Villareal", IsActive: true, IsLocked: true,
		Mailing: &wire.Address{City: "Ames", Country: "US"},
	}
}
