package card

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/fault"
)

// StatesManual prints the life of a card as the page docs/card-states.md: from the table of
// transitions, and by trying what a lock stands in the way of.
func StatesManual() []byte {
	var page bytes.Buffer
	page.WriteString(statesIntroduction)
	for _, status := range Statuses {
		fmt.Fprintf(&page, "\n### %s\n\n%s\n", status, meanings[status])
	}
	page.WriteString(transitionsIntroduction)
	printTransitions(&page)
	page.WriteString("\n## Diagram\n\nActs that leave the status as it is are left out.\n\n")
	printDiagram(&page)
	page.WriteString(refusalsIntroduction)
	printRefusals(&page)
	page.WriteString(locksIntroduction)
	printLocks(&page)
	return page.Bytes()
}

const statesIntroduction = `# Card states

This page is printed from the tables in ` + "`internal/domain/card`" + `. After a change there, run
` + "`go test ./internal/domain/card -update`" + `.

A card has a status and a lock. The status is its stage of life; the lock says whether
it is barred from use. They are independent: no act of a lock changes the status, and
only the replacement of a lost, stolen or misused card changes both.

The interface leaves open what leads to PendingVerification, Denied and Expired, which statuses
permit archiving, and which reasons of a reissue keep the number. What stands here about them is
this implementation's choice.

## Statuses
`

const transitionsIntroduction = `
## Transitions

An act on a card in a status that has no row is refused. A row holds in production and in the
sandbox unless the last column names one of them.

`

const refusalsIntroduction = `
## What refuses an act

The first code answers a customer who is neither creator nor holder of the card, the second an
act for which the status of the card has no row. Where both are the same, a card in such a status
answers like one that the customer has nothing to do with. What the processor or time does too
late is ignored. [errors.md](errors.md) explains the codes.

`

const locksIntroduction = `
## Locks

UNL is no lock, CST a lock by a customer, SYS a lock by the system: by an operator, or by the
processor, which reports that a PIN was tried too often (PIN) or that the number is known to others
(FRD). The reasons LST, STL and FRD are permanent. A card has one lock: that of the system replaces
a temporary one of the customer, and an administrative lock (ADM) outranks that of a PIN. "System
unlocks" is an operator's act; a new PIN clears no lock. A code means that the act is refused;
"unchanged" means that it succeeds and leaves the lock as it is. An act that is not in the table
ignores locks, apart from the renewal: a card with a SYS lock or a permanent one is not renewed.

`

// births are the ways in which a card comes into being. They stand in no row, because there is no
// card yet that could be refused.
func births() []Transition {
	pending, usable := Card{Status: PendingVerification}, Card{Status: Verified}
	digital := Card{Status: Verified, DigitalOnly: true}
	return []Transition{
		{"", "initiate", Initiate(Issuance{}, time.Time{}).Status, Always},
		{"", "createdigital", CreateDigital(Issuance{}, time.Time{}).Status, Always},
		{"", "replaces a digital card", digital.replacementStatus(Production), Always},
		{"", "replaces a printed card", usable.replacementStatus(Production), Production},
		{"", "replaces a pending card", pending.replacementStatus(Sandbox), Sandbox},
		{"", "replaces a usable or expired card", usable.replacementStatus(Sandbox), Sandbox},
	}
}

// acts returns every act once, in the order of the table.
func acts() []Act {
	var once []Act
	for _, row := range Transitions {
		if !slices.Contains(once, row.Act) {
			once = append(once, row.Act)
		}
	}
	return once
}

// stays reports whether the rows of an act are those that staying made.
func stays(act Act) bool {
	var rows []Transition
	for _, row := range Transitions {
		if row.Act == act {
			rows = append(rows, row)
		}
	}
	return slices.Equal(rows, staying(act))
}

// printTransitions prints the table. The acts that stay share one row.
func printTransitions(page *bytes.Buffer) {
	page.WriteString("| From | Act | To | Only in |\n|---|---|---|---|\n")
	for _, row := range slices.Concat(births(), Transitions) {
		if !stays(row.Act) {
			from := cmp.Or(row.From, "(none)")
			fmt.Fprintf(page, "| %s | %s | %s | %s |\n", from, row.Act, row.To, row.Mode)
		}
	}
	var folded []string
	for _, act := range acts() {
		if stays(act) {
			folded = append(folded, string(act))
		}
	}
	fmt.Fprintf(page, "| every status but %s | %s | unchanged |  |\n", Archived,
		strings.Join(folded, ", "))
}

// printDiagram prints the rows that change the status in the language of mermaid.
func printDiagram(page *bytes.Buffer) {
	page.WriteString("```mermaid\nstateDiagram-v2\n")
	for _, row := range slices.Concat(births(), Transitions) {
		if row.From == row.To {
			continue
		}
		label := string(row.Act)
		if row.Mode != Always {
			label += ", " + row.Mode.String()
		}
		fmt.Fprintf(page, "    %s --> %s: %s\n", cmp.Or(row.From, "[*]"), row.To, label)
	}
	fmt.Fprintf(page, "    %s --> [*]\n```\n", Archived)
}

func printRefusals(page *bytes.Buffer) {
	page.WriteString("| Act | Not of the customer | Not in this status |\n|---|---|---|\n")
	for _, act := range acts() {
		if _, ofCustomer := accessFaults[act]; !ofCustomer {
			continue
		}
		// No act is possible on an archived card, so it meets the refusal by status.
		archived := Card{CustomerID: 1, Status: Archived}
		fmt.Fprintf(page, "| %s | %s | %s |\n", act, codeLink(AccessFault(act, 0, 0)),
			codeLink(archived.CheckCustomer(act, Production, 1)))
	}
	fmt.Fprintf(page, "\nEvery act also answers %s to a customer whose own access type does not "+
		"allow it: those on the accounts of a card take FULL or ACCT, the others CARD as well.\n",
		codeLink(fault.New(fault.CardAccess, 0, 0)))
}

// lockTrials are the acts that look at the lock, tried out on a card whose status allows them.
var lockTrials = []struct {
	act Act
	try func(Card) (Card, error)
}{
	{LockCard, func(c Card) (Card, error) {
		reason := Temporary
		if c.Lock.Reason == Temporary {
			reason = Damaged // so that a lock that is replaced can be told from one that stays
		}
		return c.LockByCustomer(reason, time.Time{})
	}},
	{Hotlist, func(c Card) (Card, error) { return c.LockByCustomer(Lost, time.Time{}) }},
	{Unlock, func(c Card) (Card, error) { return c.UnlockByCustomer(time.Time{}) }},
	{ReissueSamePAN, func(c Card) (Card, error) {
		return c.ReissueSamePAN(Production, "", time.Time{}), c.CheckReissuable()
	}},
	{ReissueNewPAN, func(c Card) (Card, error) {
		old, _ := c.ReissueNewPAN(Production, Lost, "", 0, time.Time{})
		return old, c.CheckReissuable()
	}},
	{LockBySystem + " (PIN)", func(c Card) (Card, error) {
		return c.LockBySystem(PinRetries, time.Time{}), nil
	}},
	{LockBySystem + " (FRD)", func(c Card) (Card, error) {
		return c.LockBySystem(SuspectedFraud, time.Time{}), nil
	}},
	{UnlockBySystem, func(c Card) (Card, error) { return c.UnlockBySystem(time.Time{}) }},
	{AddAccount, func(c Card) (Card, error) {
		return c, c.CheckAddAccount(customer.Standing{ID: 1, AccessType: customer.Full})
	}},
}

// printLocks prints what each lock does to each act. Reasons that answer alike share a row.
func printLocks(page *bytes.Buffer) {
	var heads, rows []string
	reasons := make(map[string][]string)
	for _, lock := range locks() {
		key := string(lock.Type) + " / %s"
		for _, trial := range lockTrials {
			key += " | " + lockOutcome(lock, trial.act, trial.try)
		}
		if _, known := reasons[key]; !known {
			rows = append(rows, key)
		}
		reasons[key] = append(reasons[key], string(lock.Reason))
	}
	for _, trial := range lockTrials {
		heads = append(heads, string(trial.act))
	}
	fmt.Fprintf(page, "| Lock | %s |\n|%s\n", strings.Join(heads, " | "),
		strings.Repeat("---|", len(heads)+1))
	for _, row := range rows {
		fmt.Fprintf(page, "| "+row+" |\n", strings.Join(reasons[row], ", "))
	}
}

func lockOutcome(lock Lock, act Act, try func(Card) (Card, error)) string {
	before := Card{Status: Verified, Lock: lock}
	after, err := try(before)
	if err != nil {
		return codeLink(err)
	}
	if other, _ := before.ReissueAs(act, Damaged); other != act {
		return "as " + string(other)
	}
	switch after.Lock {
	case lock:
		return "unchanged"
	case unlocked:
		return string(Unlocked)
	}
	return string(after.Lock.Type) + " with the reason given"
}

// codeLink names the fault by its code, with a link to the page that explains it.
func codeLink(err error) string {
	return fmt.Sprintf("[%[1]d](errors.md#%[1]d)", fault.All(err)[0].Code())
}
