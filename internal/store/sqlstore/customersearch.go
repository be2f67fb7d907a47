package sqlstore

import (
	"cmp"
	"slices"
	"strings"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// A search for people reads the index of one word: names that begin with it, or whose last word
// does. The other words are compared here.
const (
	peopleColumns = `SELECT u.customer_id, u.first_name, u.last_name, u.mobile_phone, u.home_phone
		FROM customers u WHERE u.program_id = $1`

	listByFirstName = peopleColumns + ` AND LOWER(u.first_name) COLLATE "binary" >= $2
		AND LOWER(u.first_name) COLLATE "binary" < $3
		ORDER BY LOWER(u.first_name) COLLATE "binary", u.customer_id LIMIT 0 + $4`
	listByLastName = peopleColumns + ` AND LOWER(u.last_name) COLLATE "binary" >= $2
		AND LOWER(u.last_name) COLLATE "binary" < $3
		ORDER BY LOWER(u.last_name) COLLATE "binary", u.customer_id LIMIT 0 + $4`

	// lastWord is what stands behind the last space of a last name.
	lastWord = `LOWER(REPLACE(u.last_name,
		RTRIM(u.last_name, REPLACE(u.last_name, ' ', '')), '')) COLLATE "binary"`
	listByLastWord = peopleColumns + ` AND u.last_name LIKE '% %'
		AND ` + lastWord + ` >= $2 AND ` + lastWord + ` < $3
		ORDER BY ` + lastWord + `, u.customer_id LIMIT 0 + $4`

	// The last seven digits of a telephone number are the same with and without its country.
	listByMobilePhone = peopleColumns + ` AND u.mobile_phone <> ''
		AND SUBSTR(` + mobileDigits + `, LENGTH(` + mobileDigits + `) - 6) = $2
		ORDER BY u.customer_id LIMIT 0 + $3`
	listByHomePhone = peopleColumns + ` AND u.home_phone <> ''
		AND SUBSTR(` + homeDigits + `, LENGTH(` + homeDigits + `) - 6) = $2
		ORDER BY u.customer_id LIMIT 0 + $3`
	mobileDigits = `REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(u.mobile_phone,
		' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', '')`
	homeDigits = `REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(u.home_phone,
		' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', '')`
)

const (
	mostNamesakes = 5000 // candidates that one index is read for
	phoneEnd      = 7
)

// namedPerson is a customer as a search compares it.
type namedPerson struct {
	id                        int
	first, last, mobile, home string
}

func scanNamed(row db.Scan) (p namedPerson, err error) {
	err = row(&p.id, &p.first, &p.last, &p.mobile, &p.home)
	return p, err
}

// Search returns the numbers of customers with a name or a telephone number.
func (t customers) Search(of store.PeopleQuery) ([]int, error) {
	if digits := digitsOf(of.Text); len(digits) >= phoneEnd && !strings.ContainsFunc(of.Text, isWord) {
		end := digits[len(digits)-phoneEnd:]
		return t.people(of, func(programID int) []cardQuery {
			return []cardQuery{
				{listByMobilePhone, []any{programID, end, mostNamesakes}},
				{listByHomePhone, []any{programID, end, mostNamesakes}},
			}
		}, func(p namedPerson) bool { return isSamePhone(p.mobile, digits) || isSamePhone(p.home, digits) })
	}
	words := strings.Fields(strings.ToLower(of.Text))
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, word := range words { // the longest is the rarest; a word may also stand within a name
		ids, err := t.people(of, func(programID int) (lanes []cardQuery) {
			for _, from := range slices.Compact([]string{word, upperBeyondASCII(word)}) {
				for _, text := range []string{listByFirstName, listByLastName, listByLastWord} {
					lanes = append(lanes, cardQuery{
						text, []any{programID, from, from + "\U0010FFFF", mostNamesakes},
					})
				}
			}
			return lanes
		}, func(p namedPerson) bool { return store.HasWords(p.first+" "+p.last, of.Text) })
		if err != nil || len(ids) > 0 {
			return ids, err
		}
	}
	return nil, nil
}

// people reads lanes of each program, and keeps those that fit.
func (t customers) people(
	of store.PeopleQuery, lanes func(programID int) []cardQuery, fits func(namedPerson) bool,
) ([]int, error) {
	programIDs, err := programsOf(t.session, of.Programs)
	if err != nil {
		return nil, err
	}
	var numbers []int
	var queries []db.Query
	for _, id := range programIDs {
		for _, lane := range lanes(id) {
			queries = append(queries, db.Query{
				Text: lane.text, Args: lane.args, Each: func(row db.Scan) error {
					p, err := scanNamed(row)
					if err == nil && fits(p) {
						numbers = append(numbers, p.id)
					}
					return err
				},
			})
		}
	}
	if len(queries) == 0 {
		return nil, nil
	}
	if err := t.session.Query(queries...); err != nil {
		return nil, err
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	return numbers[:min(of.Limit, len(numbers))], nil
}

// isWord reports whether a letter stands in no telephone number that somebody types.
func isWord(r rune) bool { return !strings.ContainsRune("0123456789+()-./ ", r) }

// isSamePhone reports whether one of two numbers has the country before the other.
func isSamePhone(phone, digits string) bool {
	kept := digitsOf(phone)
	return len(kept) >= phoneEnd &&
		(strings.HasSuffix(kept, digits) || strings.HasSuffix(digits, strings.TrimLeft(kept, "0")))
}

func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
}

// upperBeyondASCII is how LOWER of the embedded database leaves a name that begins with such a
// letter: it knows ASCII alone.
func upperBeyondASCII(word string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 {
			return r
		}
		return []rune(strings.ToUpper(string(r)))[0]
	}, word)
}
