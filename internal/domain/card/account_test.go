package card

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/customer"
)

// These are the accounts A, B and C of the examples of interface §6.4.
const idA, idB, idC = 101, 102, 103

func abc() Card {
	held := standing(Verified, unlocked)
	held.Slots = Slots{Checking: []int{idA, idB, idC}, Savings: []int{21}}
	return held
}

// TestReprioritizeExamples checks the examples of interface §6.4, verbatim.
func TestReprioritizeExamples(t *testing.T) {
	for _, test := range []struct {
		account, priority int
		want              []int
		primary           int
	}{
		{idA, 3, []int{idB, idC, idA}, idB},
		{idC, 1, []int{idC, idA, idB}, idC},
		{idB, 3, []int{idA, idC, idB}, idA},
	} {
		after, err := abc().ReprioritizeAccount(full(creator), test.account, test.priority, noon)
		wantCodes(t, err)
		if diff := cmp.Diff(test.want, after.Slots.Checking); diff != "" {
			t.Errorf("setting %d to %d (-want +got):\n%s", test.account, test.priority, diff)
		}
		if after.PrimaryAccount() != test.primary {
			t.Errorf("setting %d to %d makes %d primary", test.account, test.priority,
				after.PrimaryAccount())
		}
	}
}

func TestReprioritizeFaults(t *testing.T) {
	cardOnly := customer.Standing{ID: creator, AccessType: customer.CardOnly}
	for _, test := range []struct {
		who               customer.Standing
		account, priority int
		want              string
	}{
		{cardOnly, 999, 9, "150403: CustomerId 1 does not have access to CardId 0."},
		{full(creator), 999, 9, "59956: Value for property 'accountId' is not acceptable. " +
			"Specifics: The account is not on the card."},
		{full(creator), idA, 4, "150802: New Priority 4 for CardId 0, AccountId 101 must be " +
			"between 1 and 3."},
		{full(creator), 21, 2, "150802: New Priority 2 for CardId 0, AccountId 21 must be " +
			"between 1 and 1."},
		{full(creator), idA, 0, "150802: New Priority 0 for CardId 0, AccountId 101 must be " +
			"between 1 and 3."},
	} {
		_, err := abc().ReprioritizeAccount(test.who, test.account, test.priority, noon)
		wantTexts(t, err, []string{test.want})
	}
}

func TestCheckAddAccount(t *testing.T) {
	locked := standing(Verified, Lock{Customer, Temporary})
	for name, test := range map[string]struct {
		card Card
		who  customer.Standing
		want []int
	}{
		"full":     {abc(), full(holder), nil},
		"accounts": {abc(), customer.Standing{ID: creator, AccessType: "ACCT"}, nil},
		"card":     {abc(), customer.Standing{ID: creator, AccessType: "CARD"}, []int{150403}},
		"none":     {abc(), customer.Standing{ID: creator, AccessType: "NONE"}, []int{150403}},
		"locked":   {locked, full(creator), []int{150602}},
		"no access comes before the lock": {
			locked, customer.Standing{ID: creator, AccessType: "CARD"}, []int{150403}},
	} {
		t.Run(name, func(t *testing.T) {
			wantCodes(t, test.card.CheckAddAccount(test.who), test.want...)
		})
	}
}

func TestAdd(t *testing.T) {
	crowded := abc()
	crowded.Slots.Checking = []int{idA, idB, idC, 104}
	for _, test := range []struct {
		card     Card
		account  int
		category Category
		priority int
		want     Slots
		fault    string
	}{
		{abc(), 104, customer.Checking, 4, Slots{[]int{idA, idB, idC, 104}, []int{21}}, ""},
		{abc(), 104, customer.Checking, 2, Slots{[]int{idA, 104, idB, idC}, []int{21}}, ""},
		{abc(), 104, customer.Checking, 1, Slots{[]int{104, idA, idB, idC}, []int{21}}, ""},
		{abc(), 22, customer.Savings, 1, Slots{[]int{idA, idB, idC}, []int{22, 21}}, ""},
		{abc(), 22, customer.Savings, 3, Slots{},
			"150607: New priority of 3 must be between 1 and 2."},
		{abc(), 104, customer.Checking, 0, Slots{},
			"150607: New priority of 0 must be between 1 and 4."},
		{abc(), idB, customer.Checking, 9, Slots{},
			"150606: AccountId 102 is already tied to CardId 0 with a priority of 2."},
		{crowded, idB, customer.Checking, 9, Slots{},
			"150606: AccountId 102 is already tied to CardId 0 with a priority of 2."},
		{crowded, 105, customer.Checking, 9, Slots{},
			"150604: CardId 0 already has the maximum of 4 Checking accounts."},
		{crowded, 22, customer.Savings, 1, Slots{[]int{idA, idB, idC, 104}, []int{22, 21}}, ""},
	} {
		added := customer.Account{ID: test.account, Type: test.category}
		after, err := test.card.AddAccount(added, test.priority, noon)
		if test.fault != "" {
			wantTexts(t, err, []string{test.fault})
			continue
		}
		wantCodes(t, err)
		if diff := cmp.Diff(test.want, after.Slots); diff != "" {
			t.Errorf("adding %d at %d (-want +got):\n%s", test.account, test.priority, diff)
		}
	}
}

// TestRemove also removes the first account of the other category, which is not primary.
func TestRemove(t *testing.T) {
	cardOnly := customer.Standing{ID: creator, AccessType: customer.CardOnly}
	const all, none = customer.FullAccess, customer.NoAccess
	for _, test := range []struct {
		who     customer.Standing
		account int
		access  customer.AccountAccess
		want    Slots
		codes   []int
	}{
		{full(creator), idB, all, Slots{[]int{idA, idC}, []int{21}}, nil},
		{full(holder), 21, all, Slots{[]int{idA, idB, idC}, []int{}}, nil},
		{full(creator), idA, all, Slots{}, []int{150702}},
		{full(creator), idA, none, Slots{}, []int{150211}},
		{full(creator), idB, customer.ReadOnly, Slots{}, []int{150211}},
		{full(creator), 999, none, Slots{}, []int{59956}},
		{cardOnly, 999, none, Slots{}, []int{150403}},
	} {
		after, err := abc().RemoveAccount(test.who, test.account, test.access, noon)
		wantCodes(t, err, test.codes...)
		if diff := cmp.Diff(test.want, after.Slots); diff != "" {
			t.Errorf("removing %d (-want +got):\n%s", test.account, diff)
		}
	}
}

// TestPrimaryStaysWithItsCategory checks that the first account of the other category does not
// become primary, and that a card without accounts has none.
func TestPrimaryStaysWithItsCategory(t *testing.T) {
	o := order()
	o.Category, o.PrimaryAccountID = customer.Savings, 21
	before := Initiate(o, noon)
	after, err := before.AddAccount(customer.Account{ID: idA, Type: customer.Checking}, 1, noon)
	wantCodes(t, err)
	if after.PrimaryAccount() != 21 || before.PrimaryAccount() != 21 {
		t.Errorf("primary account %d, before %d", after.PrimaryAccount(), before.PrimaryAccount())
	}
	if diff := cmp.Diff([]int{idA, 21}, after.Slots.All()); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	if got := (Card{PrimaryCategory: customer.Savings}).PrimaryAccount(); got != 0 {
		t.Errorf("a card without accounts has the primary account %d", got)
	}
}

// TestCheckingBecomesPrimary moves a checking account to priority 1 on a card whose primary account
// is a savings account. Only then can that one be removed, as fault.RemoveAccountPrimary advises.
func TestCheckingBecomesPrimary(t *testing.T) {
	before := abc()
	before.PrimaryCategory = customer.Savings
	later := noon.Add(time.Hour)
	for _, test := range []struct{ account, priority, primary int }{
		{idA, 1, idA}, // it already has that priority
		{idB, 1, idB}, {idA, 2, 21}, {idC, 3, 21}, {21, 1, 21},
	} {
		after, err := before.ReprioritizeAccount(full(creator), test.account, test.priority, later)
		wantCodes(t, err)
		if after.PrimaryAccount() != test.primary {
			t.Errorf("setting %d to %d makes %d primary, want %d", test.account, test.priority,
				after.PrimaryAccount(), test.primary)
		}
		if changed := !cmp.Equal(before, after); changed != after.Modified.Equal(later) {
			t.Errorf("setting %d to %d is dated %s, and has changed the card: %t", test.account,
				test.priority, after.Modified, changed)
		}
		if test.primary == 21 {
			continue
		}
		_, err = after.RemoveAccount(full(creator), 21, customer.FullAccess, later)
		wantCodes(t, err)
	}
	// A savings account does not displace a checking account.
	after, err := abc().ReprioritizeAccount(full(creator), 21, 1, later)
	wantCodes(t, err)
	if after.PrimaryAccount() != idA {
		t.Errorf("the savings account made %d primary", after.PrimaryAccount())
	}
}

// TestOnlyCheckingAccountGoes checks the procedure of interface §6.4 for the only checking account
// of a card: another one is added and moved to 1.
func TestOnlyCheckingAccountGoes(t *testing.T) {
	c := abc()
	c.Slots.Checking = []int{idA}
	remove := func() error {
		_, err := c.RemoveAccount(full(creator), idA, customer.FullAccess, noon)
		return err
	}
	wantCodes(t, remove(), 150702)
	c, err := c.AddAccount(customer.Account{ID: idB, Type: customer.Checking}, 2, noon)
	wantCodes(t, err)
	wantCodes(t, remove(), 150702)
	c, err = c.ReprioritizeAccount(full(creator), idB, 1, noon)
	wantCodes(t, err)
	wantCodes(t, remove())
}

// TestListsAreNotShared modifies the result of an act and checks that the original card is
// unchanged.
func TestListsAreNotShared(t *testing.T) {
	for name, act := range map[string]func(Card) (Card, error){
		"add": func(c Card) (Card, error) {
			return c.AddAccount(customer.Account{ID: 22, Type: customer.Savings}, 1, noon)
		},
		"remove": func(c Card) (Card, error) {
			return c.RemoveAccount(full(creator), idB, customer.FullAccess, noon)
		},
		"reprioritize": func(c Card) (Card, error) {
			return c.ReprioritizeAccount(full(creator), idC, 1, noon)
		},
		"replace": func(c Card) (Card, error) {
			_, replacement := c.ReissueNewPAN(Production, Lost, "", 48, noon)
			return replacement, nil
		},
	} {
		before := abc()
		after, err := act(before)
		wantCodes(t, err)
		for _, list := range [][]int{after.Slots.Checking, after.Slots.Savings} {
			for i := range list {
				list[i] = 999
			}
		}
		if diff := cmp.Diff(abc().Slots, before.Slots); diff != "" {
			t.Errorf("%s shares its lists (-before +now):\n%s", name, diff)
		}
	}
}
