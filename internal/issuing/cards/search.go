package cards

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/customer"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Found is the result of a search: first the cards that the text names, then those of the people
// that it names.
type Found struct {
	Cards     []store.CardSummary
	Customers []customer.Customer

	MoreCards, MoreCustomers bool // exist, but are not returned
}

// maxFound limits the cards, and the customers, that a search returns.
const maxFound = 25

// fourDigits matches a word of four digits, masked a masked number with its last four digits.
var (
	fourDigits = regexp.MustCompile(`(^| )([0-9]{4})( |$)`)
	masked     = regexp.MustCompile(`(?i)(^| )(?:[0-9]*[•*][•* ]*|end(?:s|ing) in )([0-9]{4})\b`)
)

// needle returns the text to search for: a masked number is replaced by its last four digits.
func needle(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, ",", " ")), " ")
	return masked.ReplaceAllString(text, "$1$2")
}

// Search returns the cards and the customers that an operator may see by an identifier, the last
// four digits, a name, a name with the last four digits, a tag, a nickname or a telephone number.
func (s *Service) Search(
	ctx context.Context, who issuing.Operator, text string, programID int,
) (result Found, err error) {
	text = needle(text)
	if text == "" {
		return result, nil
	}
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (result Found, err error) {
		programs, err := s.VisiblePrograms(r, who, programID)
		if err != nil || programs != nil && len(programs) == 0 {
			return result, err
		}
		if err := result.findCustomers(r, text, programs); err != nil {
			return result, err
		}
		err = result.findCards(r, text, programs)
		return result, err
	})
}

func (f *Found) findCustomers(r store.Tx, text string, programs []int) error {
	ids, err := r.Customers().Search(store.PeopleQuery{
		Programs: programs, Text: text, Limit: maxFound + 1,
	})
	if err != nil {
		return err
	}
	f.MoreCustomers = len(ids) > maxFound
	ids = ids[:min(maxFound, len(ids))]
	if number := numberOf(text); number != 0 {
		ids = append(ids, number)
	}
	byID, err := r.Customers().FindMany(ids)
	for _, c := range byID {
		if programs == nil || slices.Contains(programs, c.ProgramID) {
			f.Customers = append(f.Customers, c)
		}
	}
	slices.SortFunc(f.Customers, func(a, b customer.Customer) int { return a.ID - b.ID })
	return err
}

// findCards searches for the closest matches first.
func (f *Found) findCards(r store.Tx, text string, programs []int) error {
	var queries []store.CardQuery
	if number := numberOf(text); number != 0 {
		queries = append(queries, store.CardQuery{CardID: number})
	}
	if at := fourDigits.FindStringSubmatchIndex(text); at != nil {
		queries = append(queries, store.CardQuery{
			LastFour: text[at[4]:at[5]], HolderName: strings.TrimSpace(text[:at[0]] + " " + text[at[1]:]),
		})
	}
	queries = append(queries, store.CardQuery{Text: text})
	if len(f.Customers) > 0 {
		var holders []int
		for _, c := range f.Customers {
			holders = append(holders, c.ID)
		}
		queries = append(queries, store.CardQuery{HolderIDs: holders})
	}
	for _, of := range queries {
		if len(f.Cards) > maxFound {
			break
		}
		of.Programs, of.Limit = programs, maxFound+1
		listed, err := r.CardSearch().List(of)
		if err != nil {
			return err
		}
		for _, c := range listed {
			known := func(other store.CardSummary) bool { return other.ID == c.ID }
			if !slices.ContainsFunc(f.Cards, known) {
				f.Cards = append(f.Cards, c)
			}
		}
	}
	f.MoreCards = len(f.Cards) > maxFound
	f.Cards = f.Cards[:min(maxFound, len(f.Cards))]
	return nil
}

// numberOf returns the identifier that a text may be, 0 for none.
func numberOf(text string) int {
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 || number > problem.MaxID {
		return 0
	}
	return number
}
