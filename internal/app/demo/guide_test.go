package demo

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"mintmark/internal/store"
)

// TestGuide compares the guide with the loaded data: every key must match its secret, and every
// customer, account and card must exist as described.
func TestGuide(t *testing.T) {
	guide := ReadGuide()
	db, v := loaded(t)
	view(t, db, func(r store.Tx) error {
		keys, err := r.Keys().List()
		if err != nil {
			return err
		}
		for _, key := range keys {
			name, state := find(t, guide.Keys, key.Name+":")
			_, secret, _ := strings.Cut(name, ":")
			opens := key.Matches(v.DigestSecret(secret), now)
			if opens == strings.Contains(state, "expired") {
				t.Errorf("key %s, %s: opens %t", name, state, opens)
			}
		}
		customers, err := r.Customers().FindMany(upTo(9999))
		if err != nil {
			return err
		}
		for _, thing := range guide.Customers {
			id, err := strconv.Atoi(thing.ID)
			if err != nil || !strings.HasPrefix(thing.Is, string(customers[id].Status)+",") {
				t.Errorf("customer %+v is %+v", thing, customers[id])
			}
		}
		list, err := r.Cards().ListByCustomer(1, 1001, store.NoLimit)
		for _, c := range list.Cards {
			_, state := find(t, guide.Cards, fmt.Sprint(c.ID))
			if !strings.HasPrefix(state, string(c.Status)+", of customer 1001") ||
				!strings.HasSuffix(state, "tag "+c.Tag) {
				t.Errorf("card %d is %s", c.ID, state)
			}
		}
		return err
	})
	if len(guide.Keys) < 9 || len(guide.Customers) < 15 || len(guide.Accounts) < 20 ||
		len(guide.Cards) < 8 {
		t.Errorf("the guide is %+v", guide)
	}
}

// find returns the thing whose id begins with a prefix.
func find(t *testing.T, things []Thing, begins string) (id, state string) {
	t.Helper()
	for _, thing := range things {
		if strings.HasPrefix(thing.ID, begins) {
			return thing.ID, thing.Is
		}
	}
	t.Errorf("the guide has no %s", begins)
	return "", ""
}
