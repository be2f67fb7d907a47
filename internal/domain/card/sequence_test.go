package card

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mintmark/internal/domain/customer"
)

// dates maps the property that shows a date to the date.
type dates map[string]time.Time

func datesOf(c Card) dates {
	return dates{
		"created": c.Created, "requested": c.Requested, "shipped": c.Shipped,
		"verified": c.Verified,
		"reissued": c.Reissued, "denied": c.Denied, "expired": c.Expired,
		"archived": c.Archived, "modified": c.Modified,
	}
}

// datedBy maps a status to the date that reaching it sets.
var datedBy = map[Status]string{
	Verified: "verified", Reissued: "reissued", Denied: "denied", Expired: "expired",
	Archived: "archived",
}

// kept is a card of the world, with the model's knowledge of it.
type kept struct {
	card  Card
	dates dates // the dates that the acts so far should have set
}

// remembered is an earlier value of a card, with a copy of its contents at that time.
type remembered struct {
	value Card
	said  Card
}

// world holds a few cards that undergo acts one after the other.
type world struct {
	mode  Mode
	now   time.Time
	cards []kept
	tags  int
	past  []remembered
}

// deepCopy copies the card and the lists that it refers to.
func deepCopy(c Card) Card {
	c.Slots.Checking = slices.Clone(c.Slots.Checking)
	c.Slots.Savings = slices.Clone(c.Slots.Savings)
	return c
}

// keep adds a new card to the world.
func (w *world) keep(c Card, set ...string) {
	c.ID, c.LastFour = len(w.cards)+1, "1111"
	expected := dates{}
	for name := range datesOf(c) {
		expected[name] = time.Time{}
	}
	for _, name := range append(set, "created", "modified") {
		expected[name] = w.now
	}
	w.cards = append(w.cards, kept{c, expected})
	w.past = append(w.past, remembered{c, deepCopy(c)})
}

// put replaces a card with the result of an act.
func (w *world) put(t *rapid.T, i int, after Card, set ...string) {
	k := &w.cards[i]
	before := k.card
	checkFinal(t, before, after)
	if after.Status != before.Status && datedBy[after.Status] != "" {
		set = append(set, datedBy[after.Status])
	}
	if !cmp.Equal(before, after) {
		set = append(set, "modified")
	}
	for _, name := range set {
		k.dates[name] = w.now
	}
	k.card = after
	w.past = append(w.past, remembered{after, deepCopy(after)})
}

// checkFinal checks the irreversible properties.
func checkFinal(t *rapid.T, before, after Card) {
	if before.Status == Archived {
		t.Fatalf("an archived card became %v", after)
	}
	if before.Lock.Permanent() && after.Lock != before.Lock {
		t.Fatalf("the permanent lock %v became %v", before.Lock, after.Lock)
	}
	for name, earlier := range datesOf(before) {
		if datesOf(after)[name].Before(earlier) {
			t.Fatalf("the date %s ran backward", name)
		}
	}
}

// check checks the invariants of the world between any two acts.
func (w *world) check(t *rapid.T) {
	carriers := make(map[string]int)
	for _, k := range w.cards {
		checkSlots(t, k.card)
		if diff := cmp.Diff(k.dates, datesOf(k.card)); diff != "" {
			t.Fatalf("dates of card %d (-model +card):\n%s", k.card.ID, diff)
		}
		if k.card.Tag != "" {
			carriers[k.card.Tag]++
		}
	}
	if len(carriers) != w.tags {
		t.Fatalf("%d tags were given, %d are left", w.tags, len(carriers))
	}
	for tag, count := range carriers {
		if count != 1 {
			t.Fatalf("%d cards carry the tag %s", count, tag)
		}
	}
	// A value of a card never changes, whatever happens to the values derived from it.
	for _, r := range w.past {
		if diff := cmp.Diff(r.said, r.value); diff != "" {
			t.Fatalf("an earlier value has changed (-then +now):\n%s", diff)
		}
	}
}

func checkSlots(t *rapid.T, c Card) {
	for _, category := range Categories {
		accounts := c.Slots.Of(category)
		if len(accounts) > MaxSlots {
			t.Fatalf("%d %s accounts", len(accounts), category)
		}
		for i, account := range accounts {
			at, priority := c.Slots.Find(account)
			if at != category || priority != i+1 || account == 0 {
				t.Fatalf("account %d at %s %d is found at %s %d", account, category, i+1, at,
					priority)
			}
		}
	}
	if first := c.Slots.Of(c.PrimaryCategory); len(first) == 0 || first[0] != c.PrimaryAccount() {
		t.Fatalf("primary account %d, slots of its category %v", c.PrimaryAccount(), first)
	}
}

// TestSequences performs random acts on a few cards and checks the invariants after each.
func TestSequences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{mode: rapid.SampledFrom([]Mode{Production, Sandbox}).Draw(t, "mode"), now: noon}
		w.create(t)
		t.Repeat(map[string]func(*rapid.T){
			"":             w.check,
			"create":       w.create,
			"lock":         w.lock,
			"unlock":       w.unlock,
			"verify":       w.verify,
			"renew":        w.renew,
			"replace":      w.replace,
			"archive":      w.archive,
			"add":          w.add,
			"remove":       w.remove,
			"reprioritize": w.reprioritize,
			"processor":    w.processor,
			"system":       w.systemLock,
			"clear":        w.systemUnlock,
		})
	})
}

// pick chooses a card and a customer to act on it, and lets time pass.
func (w *world) pick(t *rapid.T) (i int, c Card, who int) {
	w.now = w.now.Add(time.Minute)
	i = rapid.IntRange(0, len(w.cards)-1).Draw(t, "card")
	// Strangers are rare, so that most sequences make progress.
	callers := []int{creator, creator, creator, holder, holder, stranger}
	return i, w.cards[i].card, rapid.SampledFrom(callers).Draw(t, "who")
}

// settle stores the result of an act, and checks that a refused act has none.
func (w *world) settle(t *rapid.T, i int, after Card, err error, set ...string) {
	if err != nil {
		if !cmp.Equal(after, Card{}) || len(codes(err)) == 0 {
			t.Fatalf("%v left %v behind", err, after)
		}
		return
	}
	w.put(t, i, after, set...)
}

func (w *world) create(t *rapid.T) {
	if len(w.cards) >= 4 {
		t.Skip("enough cards")
	}
	o := order()
	o.PrimaryAccountID, o.Category = account(t)
	o.Tag = rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "tag")
	if slices.ContainsFunc(w.cards, func(k kept) bool { return k.card.Tag == o.Tag }) {
		o.Tag = ""
	}
	if o.Tag != "" {
		w.tags++
	}
	if rapid.Bool().Draw(t, "digital") {
		w.keep(crowd(t, CreateDigital(o, w.now)), "verified")
		return
	}
	w.keep(crowd(t, Initiate(o, w.now)))
}

// crowd adds some accounts to a new card, so that full cards occur at all.
func crowd(t *rapid.T, c Card) Card {
	for range rapid.IntRange(0, 9).Draw(t, "crowd") {
		id, category := account(t)
		more, err := c.AddAccount(customer.Account{ID: id, Type: category}, 1, c.Created)
		if err == nil {
			c = more
		}
	}
	return c
}

// account chooses one of ten accounts; those from 6 on are savings accounts.
func account(t *rapid.T) (int, Category) {
	id := rapid.IntRange(1, 10).Draw(t, "account")
	if id > 5 {
		return id, customer.Savings
	}
	return id, customer.Checking
}

// held chooses an account of the card, or occasionally one that need not be on it.
func held(t *rapid.T, c Card) (int, Category) {
	if rapid.IntRange(0, 9).Draw(t, "any account") == 0 {
		return account(t)
	}
	id := rapid.SampledFrom(c.Slots.All()).Draw(t, "held account")
	category, _ := c.Slots.Find(id)
	return id, category
}
