package cards_test

import (
	"slices"
	"strconv"
	"testing"

	"mintmark/internal/domain/customer"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestSearch finds cards and people by each thing that a caller may name, in scope alone.
func TestSearch(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	first, second := w.NewCard(nil), w.NewCard(nil)
	var holder customer.Customer
	w.View(func(r store.Tx) error {
		found, err := r.Customers().FindMany([]int{first.HolderID})
		holder = found[first.HolderID]
		return err
	})
	name := holder.FirstName + " " + holder.LastName
	for text, want := range map[string][]int{
		name:                                    {second.ID, first.ID},
		holder.LastName + ", " + first.LastFour: {first.ID},
		first.LastFour + " " + name:             {first.ID},
		first.LastFour:                          {first.ID},
		"nobody " + first.LastFour:              nil,
		"nobody":                                nil,
		" ":                                     nil,
	} {
		found := search(t, w, issuingtest.Clerk, text)
		got := idsOf(found)
		if text == name { // the demo data has more cards of the same holder
			got = slices.DeleteFunc(got, func(id int) bool { return id < first.ID })
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds the cards %v, want %v", text, got, want)
		}
		if named := len(found.Customers) == 1 && found.Customers[0].ID == holder.ID; named != (text == name) {
			t.Errorf("%q finds the customers %+v", text, found.Customers)
		}
		if found := search(t, w, outsider, text); len(found.Cards)+len(found.Customers) > 0 {
			t.Errorf("%q finds %+v out of scope", text, found)
		}
	}
	for _, id := range []string{strconv.Itoa(first.ID), strconv.Itoa(holder.ID)} {
		found := search(t, w, issuingtest.Clerk, id)
		if !slices.Contains(idsOf(found), first.ID) && id == strconv.Itoa(first.ID) ||
			len(found.Customers) != 1 && id == strconv.Itoa(holder.ID) {
			t.Errorf("%s finds %+v", id, found)
		}
	}
}

func search(
	t *testing.T, w *issuingtest.World, who issuing.Operator, text string,
) cards.Found {
	t.Helper()
	found, err := w.Cards.Search(t.Context(), who, text, 0)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return found
}

func idsOf(found cards.Found) (ids []int) {
	for _, c := range found.Cards {
		ids = append(ids, c.ID)
	}
	return ids
}
