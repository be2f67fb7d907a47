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

// TestSearch finds cards and people by each searchable property, within scope only.
func TestSearch(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	first, second := w.NewCard(nil), w.NewCard(nil)
	var holder customer.Customer
	w.View(func(r store.Tx) error {
		c, err := r.Customers().FindMany([]int{first.HolderID})
		holder = c[first.HolderID]
		return err
	})
	name := holder.FirstName + " " + holder.LastName
	for text, want := range map[string][]int{
		name:                                        {second.ID, first.ID},
		holder.LastName + ", " + first.LastFour:     {first.ID},
		first.LastFour + " " + name:                 {first.ID},
		first.LastFour:                              {first.ID},
		"•••• " + first.LastFour:                    {first.ID},
		"411111******" + first.LastFour:             {first.ID},
		"Ends in " + first.LastFour:                 {first.ID},
		holder.LastName + " •••• " + first.LastFour: {first.ID},
		"nobody " + first.LastFour:                  nil,
		"nobody":                                    nil,
		" ":                                         nil,
	} {
		result := search(t, w, issuingtest.Clerk, text)
		got := idsOf(result)
		if text == name { // the demo data has more cards of the same holder
			got = slices.DeleteFunc(got, func(id int) bool { return id < first.ID })
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds the cards %v, want %v", text, got, want)
		}
		if named := len(result.Customers) == 1 && result.Customers[0].ID == holder.ID; named != (text == name) {
			t.Errorf("%q finds the customers %+v", text, result.Customers)
		}
		if match := search(t, w, outsider, text); len(match.Cards)+len(match.Customers) > 0 {
			t.Errorf("%q finds %+v out of scope", text, match)
		}
	}
	for _, text := range []string{
		"•••• " + first.LastFour, first.LastFour + " " + first.Name.First,
		first.Name.Last + ", ends in " + first.LastFour,
	} {
		listed, _, err := w.Cards.ListCards(t.Context(), issuingtest.Clerk,
			cards.CardFilter{Text: text}, issuing.Page{Limit: 9})
		if err != nil || len(listed) != 1 || listed[0].ID != first.ID {
			t.Errorf("%q lists %+v, %v", text, listed, err)
		}
	}
	for _, tag := range []string{"INV,17", "A*1234"} {
		c := w.NewCard(func(r *cards.InitiateRequest) { r.Tag = tag })
		listed, _, err := w.Cards.ListCards(t.Context(), issuingtest.Clerk,
			cards.CardFilter{Text: tag}, issuing.Page{Limit: 9})
		if err != nil || len(listed) != 1 || listed[0].ID != c.ID {
			t.Errorf("the tag %q lists %+v, %v", tag, listed, err)
		}
	}
	for _, id := range []string{strconv.Itoa(first.ID), strconv.Itoa(holder.ID)} {
		result := search(t, w, issuingtest.Clerk, id)
		if !slices.Contains(idsOf(result), first.ID) && id == strconv.Itoa(first.ID) ||
			len(result.Customers) != 1 && id == strconv.Itoa(holder.ID) {
			t.Errorf("%s finds %+v", id, result)
		}
	}
}

func search(
	t *testing.T, w *issuingtest.World, who issuing.Operator, text string,
) cards.Found {
	t.Helper()
	result, err := w.Cards.Search(t.Context(), who, text, 0)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return result
}

func idsOf(result cards.Found) (ids []int) {
	for _, c := range result.Cards {
		ids = append(ids, c.ID)
	}
	return ids
}
