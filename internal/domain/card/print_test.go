package card

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/fault"
	"mintmark/internal/testkit/golden"
)

func TestStatesManualIsPrinted(t *testing.T) {
	golden.Compare(t, "../../../docs/card-states.md", statesManual())
}

// TestStatesManualShowsEveryTransition expands the rows of the page, and looks for the arrow of
// each change.
func TestStatesManualShowsEveryTransition(t *testing.T) {
	page := string(statesManual())
	_, table, _ := strings.Cut(page, "| From | Act | To | Only in |\n|---|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	shown := make(map[Transition]int)
	for line := range strings.Lines(table + "\n") {
		cells := strings.Split(strings.Trim(line, "| \n"), " |")
		from := strings.Split(cells[0], ", ")
		if cells[0] == "every status but Archived" {
			from = nil
			for _, status := range Statuses[:len(Statuses)-1] {
				from = append(from, string(status))
			}
		}
		mode := slices.IndexFunc([]Mode{Always, Production, Sandbox, ByOperator}, func(m Mode) bool {
			return len(cells) < 4 && m == Always || len(cells) == 4 && m.String() == cells[3][1:]
		})
		for _, status := range from {
			for _, act := range strings.Split(cells[1][1:], "; ") {
				row := Transition{Status(status), Act(act), Status(cells[2][1:]), Mode(mode)}
				if row.To == unchanged {
					row.To = row.From
				}
				shown[row]++
			}
		}
	}
	for _, row := range Transitions {
		if shown[row] != 1 {
			t.Errorf("row %v stands %d times in the page", row, shown[row])
		}
		arrow := fmt.Sprintf("    %s --> %s: %s", row.From, row.To, row.Act)
		if drawn := strings.Contains(page, arrow); drawn != (row.From != row.To) {
			t.Errorf("row %v is drawn: %v", row, drawn)
		}
	}
	if want := len(births()) + len(Transitions); len(shown) != want {
		t.Errorf("the page has %d transitions, want %d", len(shown), want)
	}
}

func TestEveryStatusHasItsMeaning(t *testing.T) {
	if len(meanings) != len(Statuses) {
		t.Errorf("%d meanings for %d statuses", len(meanings), len(Statuses))
	}
	for _, status := range Statuses {
		if meanings[status] == "" {
			t.Errorf("nothing says what %s means", status)
		}
	}
}

// TestStatesManualNamesTheLocks compares the rows of interface §6.3 with the page.
func TestStatesManualNamesTheLocks(t *testing.T) {
	page := string(statesManual())
	const taken = "CST"
	for _, want := range []string{
		"\n| UNL / UNK | " + taken + " | " + taken + " | unchanged |",
		"\n| CST / UNK, DMG, ADM, TMP | " + taken + " | " + taken + " | UNL |",
		"\n| CST / FRD, LST, STL | unchanged | unchanged | [150503](errors.md#150503) |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// statesManual prints the page docs/card-states.md: from the table of transitions, and by trying
// which acts a lock prevents.
func statesManual() []byte {
	var page bytes.Buffer
	page.WriteString(statesIntroduction)
	for _, status := range Statuses {
		fmt.Fprintf(&page, "| %s | %s |\n", status, meanings[status])
	}
	page.WriteString(diagramIntroduction)
	printDiagram(&page)
	page.WriteString(transitionsIntroduction)
	printTransitions(&page)
	page.WriteString(refusalsIntroduction)
	printRefusals(&page)
	page.WriteString(locksIntroduction)
	printLocks(&page)
	return page.Bytes()
}

const statesIntroduction = `<!-- Printed from internal/domain/card. After a change there, run: make docs -->

# Card states

This page answers: what does the status of a card mean, which act changes it, and what does a lock
refuse? A status is a stage of the card's life, a lock bars the card from use. No act of a lock
changes the status; only the replacement of a lost, stolen or misused card changes both.

Mintmark's choices are the ways to PendingVerification, Denied and Expired, the statuses that permit
archiving, and the reasons of a reissue that keep the number.

| Status | The card is |
|---|---|
`

const diagramIntroduction = `
## Diagram

Acts that leave the status as it is are left out.

`

const transitionsIntroduction = `
## Transitions

An act on a card in a status that has no row is [refused](#refused-acts). Acts of the processor
and of time that come too late are ignored. A row holds in production and in the sandbox unless the
last column names one of them.

`

const refusalsIntroduction = `
## Refused acts

Where both codes are the same, a card in a wrong status is answered like one that the customer has
nothing to do with. [errors.md](errors.md) explains the codes.

`

const locksIntroduction = `
## Locks

A card has one lock, a type and a reason. UNL means unlocked, CST a lock by a customer, SYS one by an
operator or by the processor, which reports that a PIN was tried too often (PIN) or that the number is
known to others (FRD). LST, STL and FRD are permanent. A lock of the system replaces a temporary one of
the customer, and ADM outranks PIN. A new PIN clears no lock.

In the table CST and SYS mean that the card then has such a lock, with the reason given, and UNL that
it has none. "Unchanged" means that the act succeeds and leaves the lock as it is, a code that it is
refused. An act that is not in the table ignores locks, apart from the
[renewal](interface.md#62-expiry-and-renewal). "System unlocks" is an operator's act.

`

// births returns the ways in which a card is created. They are in no row, because there is no card
// yet that could be refused.
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

// folded is a group of transitions printed as one row of the page: each act leads from each status
// to the same new status.
type folded struct {
	from, acts []string
	to         string
	mode       Mode
}

const unchanged = "unchanged"

// fold groups the statuses of an act in one row, then the acts with the same statuses.
func fold(rows []Transition) []folded {
	var byAct, all []folded
	for _, row := range rows {
		to := string(row.To)
		if row.From == row.To {
			to = unchanged
		}
		acts := []string{string(row.Act)}
		i := slices.IndexFunc(byAct, func(f folded) bool {
			return slices.Equal(f.acts, acts) && f.to == to && f.mode == row.Mode
		})
		if i < 0 {
			i, byAct = len(byAct), append(byAct, folded{acts: acts, to: to, mode: row.Mode})
		}
		byAct[i].from = append(byAct[i].from, cmp.Or(string(row.From), "(none)"))
	}
	for _, row := range byAct {
		i := slices.IndexFunc(all, func(f folded) bool {
			return slices.Equal(f.from, row.from) && f.to == row.to && f.mode == row.mode
		})
		if i < 0 {
			all = append(all, row)
			continue
		}
		all[i].acts = append(all[i].acts, row.acts...)
	}
	return all
}

func printTransitions(page *bytes.Buffer) {
	page.WriteString("| From | Act | To | Only in |\n|---|---|---|---|\n")
	for _, row := range fold(slices.Concat(births(), Transitions)) {
		from := strings.Join(row.from, ", ")
		if len(row.from) == len(Statuses)-1 {
			from = fmt.Sprintf("every status but %s", Archived)
		}
		fmt.Fprintf(page, "| %s | %s | %s | %s |\n", from, strings.Join(row.acts, "; "), row.to, row.mode)
	}
}

// printDiagram prints the rows that change the status as a mermaid diagram.
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
		// No act is possible on an archived card, so it results in the refusal by status.
		archived := Card{CustomerID: 1, Status: Archived}
		fmt.Fprintf(page, "| %s | %s | %s |\n", act, codeLink(AccessFault(act, 0, 0)),
			codeLink(archived.CheckCustomer(act, Production, 1)))
	}
	fmt.Fprintf(page, "\nEvery act also answers %s to a customer whose own access type does not "+
		"allow it: those on the accounts of a card take FULL or ACCT, the others CARD as well.\n",
		codeLink(fault.New(fault.CardAccess, 0, 0)))
}

// lockTrials are the acts that check the lock, tried on a card whose status allows them.
var lockTrials = []struct {
	act Act
	try func(Card) (Card, error)
}{
	{LockCard, func(c Card) (Card, error) {
		reason := Temporary
		if c.Lock.Reason == Temporary {
			reason = Damaged // distinguishes a replaced lock from an unchanged one
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

// printLocks prints the effect of each lock on each act. Reasons with the same outcome share a row.
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
		return unchanged
	case unlocked:
		return string(Unlocked)
	}
	return string(after.Lock.Type)
}

// codeLink returns the code of a fault, with a link to its explanation.
func codeLink(err error) string {
	return fmt.Sprintf("[%[1]d](errors.md#%[1]d)", fault.All(err)[0].Code())
}
