package card

import (
	"slices"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mintmark/internal/domain/customer"
)

// allowed skips an act that the customer may not perform on the card.
func (w *world) allowed(t *rapid.T, c Card, act Act, who int) {
	if c.CheckCustomer(act, w.mode, who) != nil {
		t.Skip("not allowed")
	}
}

func (w *world) lock(t *rapid.T) {
	i, c, who := w.pick(t)
	reason := rapid.SampledFrom(Reasons[:7]).Draw(t, "reason")
	act := LockCard
	if reason.Permanent() {
		act = Hotlist
	}
	w.allowed(t, c, act, who)
	after, err := c.LockByCustomer(reason, w.now)
	w.settle(t, i, after, err)
}

// systemLock performs the system's acts on the lock of a card.
func (w *world) systemLock(t *rapid.T) {
	i, c, _ := w.pick(t)
	if !c.Allows(LockBySystem, w.mode) {
		t.Skip("nothing to lock")
	}
	reason := rapid.SampledFrom(SystemReasons).Draw(t, "reason")
	after := c.LockBySystem(reason, w.now)
	if after.Lock == unlocked {
		t.Fatalf("locked for %s, the card is unlocked", reason)
	}
	w.put(t, i, after)
}

func (w *world) systemUnlock(t *rapid.T) {
	i, c, _ := w.pick(t)
	if !c.Allows(UnlockBySystem, w.mode) {
		t.Skip("nothing to unlock")
	}
	after, err := c.UnlockBySystem(w.now)
	if (err == nil) != (after.Lock == unlocked) {
		t.Fatalf("unlocked, the card has the lock %v (%v)", after.Lock, err)
	}
	w.settle(t, i, after, err)
}

func (w *world) unlock(t *rapid.T) {
	i, c, who := w.pick(t)
	w.allowed(t, c, Unlock, who)
	after, err := c.UnlockByCustomer(w.now)
	w.settle(t, i, after, err)
}

func (w *world) verify(t *rapid.T) {
	i, c, who := w.pick(t)
	w.allowed(t, c, Verify, who)
	digits := rapid.SampledFrom([]string{"1111", "1111", "1112"}).Draw(t, "digits")
	after, err := c.Verify(true, digits, w.now)
	w.settle(t, i, after, err)
}

func (w *world) renew(t *rapid.T) {
	i, c, who := w.pick(t)
	w.allowed(t, c, ReissueSamePAN, who)
	if c.CheckReissuable() != nil {
		t.Skip("locked by the system")
	}
	w.put(t, i, c.ReissueSamePAN(w.mode, "", w.now), "reissued")
}

func (w *world) replace(t *rapid.T) {
	i, c, who := w.pick(t)
	w.allowed(t, c, ReissueNewPAN, who)
	if c.CheckReissuable() != nil {
		t.Skip("locked by the system")
	}
	old, replacement := c.ReissueNewPAN(w.mode, Lost, "", 48, w.now)
	if replacement.Tag != c.Tag || old.Tag != "" {
		t.Fatalf("the tag %q did not move", c.Tag)
	}
	if !old.Lock.Permanent() || old.Status != Reissued {
		t.Fatalf("the replaced card is %s, %v", old.Status, old.Lock)
	}
	w.put(t, i, old, "reissued")
	if replacement.Status == Verified {
		w.keep(replacement, "verified")
		return
	}
	w.keep(replacement)
}

func (w *world) archive(t *rapid.T) {
	i, c, who := w.pick(t)
	w.allowed(t, c, Archive, who)
	w.settle(t, i, c.Archive(w.now), nil)
}

func (w *world) processor(t *rapid.T) {
	i, c, _ := w.pick(t)
	trial := rapid.SampledFrom(processorTrials).Draw(t, "act")
	after, done := trial.try(c, w.now)
	if !done {
		if diff := cmp.Diff(c, after); diff != "" {
			t.Fatalf("%s was ignored and changed the card (-before +after):\n%s", trial.act, diff)
		}
		return
	}
	var set []string
	if trial.act == Ship {
		set = append(set, "shipped")
	}
	if (trial.act == Ship || trial.act == TakeOrder) && c.Requested.IsZero() {
		set = append(set, "requested") // the order is accepted once
	}
	w.put(t, i, after, set...)
}

func (w *world) add(t *rapid.T) {
	i, c, who := w.pick(t)
	w.allowed(t, c, AddAccount, who)
	if c.CheckAddAccount(full(who)) != nil {
		t.Skip("not to be added to")
	}
	id, category := account(t)
	priority := rapid.IntRange(0, len(c.Slots.Of(category))+2).Draw(t, "priority")
	before := c.Slots.Of(category)
	after, err := c.AddAccount(customer.Account{ID: id, Type: category}, priority, w.now)
	if err == nil {
		got := after.Slots.Of(category)
		if got[priority-1] != id || !slices.Equal(without(got, id), before) {
			t.Fatalf("adding %d at %d to %v gives %v", id, priority, before, got)
		}
		checkOtherCategory(t, c, after, category)
	}
	w.settle(t, i, after, err)
}

func (w *world) remove(t *rapid.T) {
	i, c, who := w.pick(t)
	w.allowed(t, c, RemoveAccount, who)
	id, category := held(t, c)
	after, err := c.RemoveAccount(full(who), id, customer.FullAccess, w.now)
	if err == nil {
		before, got := c.Slots.Of(category), after.Slots.Of(category)
		if !slices.Equal(got, without(before, id)) || len(got) == len(before) {
			t.Fatalf("removing %d from %v gives %v", id, before, got)
		}
		if after.PrimaryAccount() != c.PrimaryAccount() {
			t.Fatal("removing an account moved the primary account")
		}
		checkOtherCategory(t, c, after, category)
	}
	w.settle(t, i, after, err)
}

// reprioritize checks the rules of interface §6.4: the others keep their order, and the primary
// account is the one in slot 1 of its category.
func (w *world) reprioritize(t *rapid.T) {
	i, c, who := w.pick(t)
	w.allowed(t, c, Reprioritize, who)
	id, category := held(t, c)
	priority := rapid.IntRange(0, len(c.Slots.Of(category))+1).Draw(t, "priority")
	after, err := c.ReprioritizeAccount(full(who), id, priority, w.now)
	if err == nil {
		before, got := c.Slots.Of(category), after.Slots.Of(category)
		if got[priority-1] != id || !slices.Equal(without(got, id), without(before, id)) {
			t.Fatalf("moving %d in %v to %d gives %v", id, before, priority, got)
		}
		_, from := c.Slots.Find(id)
		takes := category == customer.Checking && priority == 1
		if takes && after.PrimaryAccount() != id {
			t.Fatalf("checking account %d in slot 1 is not primary", id)
		}
		behind := priority > 1 && from > 1 || category != c.PrimaryCategory
		if !takes && behind && after.PrimaryAccount() != c.PrimaryAccount() {
			t.Fatalf("moving from slot %d to %d moved the primary account", from, priority)
		}
		if takes {
			c.PrimaryCategory = category
		}
		checkOtherCategory(t, c, after, category)
	}
	w.settle(t, i, after, err)
}

func without(accounts []int, id int) []int {
	return slices.DeleteFunc(slices.Clone(accounts), func(a int) bool { return a == id })
}

// checkOtherCategory checks that an act on one category leaves the other unchanged.
func checkOtherCategory(t *rapid.T, before, after Card, category Category) {
	for _, other := range Categories {
		if other != category && !slices.Equal(before.Slots.Of(other), after.Slots.Of(other)) {
			t.Fatalf("an act on %s accounts changed the %s accounts", category, other)
		}
	}
	if before.PrimaryCategory != after.PrimaryCategory {
		t.Fatal("the primary category changed")
	}
}
