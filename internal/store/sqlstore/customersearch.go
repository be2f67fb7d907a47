package sqlstore

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// A search for people reads the index on one word: names that begin with it, or whose last word
// does. The query also checks that the name contains other words, where in a non-ASCII name any
// letters may replace those that can have accents. The rest is compared here.
const (
	selectPeople = `SELECT u.customer_id FROM customers u WHERE u.program_id = $1`
	selectNamed  = `SELECT p.customer_id FROM (
		SELECT u.customer_id, u.first_name, u.last_name FROM customers u WHERE u.program_id = $1`
	limitNamed = ` LIMIT 0 + $4) p
		WHERE LOWER(p.first_name || ' ' || p.last_name) LIKE $5
			AND LOWER(p.first_name || ' ' || p.last_name) LIKE $6
			AND LOWER(p.first_name || ' ' || p.last_name) LIKE $7
			OR (OCTET_LENGTH(p.first_name || p.last_name) > LENGTH(p.first_name || p.last_name)
				AND LOWER(p.first_name || ' ' || p.last_name) LIKE $8
				AND LOWER(p.first_name || ' ' || p.last_name) LIKE $9
				AND LOWER(p.first_name || ' ' || p.last_name) LIKE $10)`

	listByFirstName = selectNamed + ` AND LOWER(u.first_name) COLLATE "binary" >= $2
		AND LOWER(u.first_name) COLLATE "binary" < $3
		ORDER BY LOWER(u.first_name) COLLATE "binary", u.customer_id` + limitNamed
	listByLastName = selectNamed + ` AND LOWER(u.last_name) COLLATE "binary" >= $2
		AND LOWER(u.last_name) COLLATE "binary" < $3
		ORDER BY LOWER(u.last_name) COLLATE "binary", u.customer_id` + limitNamed

	// lastWord is the part of a last name after the last space.
	lastWord = `LOWER(REPLACE(u.last_name,
		RTRIM(u.last_name, REPLACE(u.last_name, ' ', '')), '')) COLLATE "binary"`
	listByLastWord = selectNamed + ` AND u.last_name LIKE '% %'
		AND ` + lastWord + ` >= $2 AND ` + lastWord + ` < $3
		ORDER BY ` + lastWord + `, u.customer_id` + limitNamed

	// The last seven digits of a telephone number are the same with and without the country code.
	listByMobilePhone = selectPeople + ` AND u.mobile_phone <> ''
		AND SUBSTR(` + mobileDigits + `, LENGTH(` + mobileDigits + `) - 6) = $2
		ORDER BY u.customer_id LIMIT 0 + $3`
	listByHomePhone = selectPeople + ` AND u.home_phone <> ''
		AND SUBSTR(` + homeDigits + `, LENGTH(` + homeDigits + `) - 6) = $2
		ORDER BY u.customer_id LIMIT 0 + $3`
	mobileDigits = `REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(u.mobile_phone,
		' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', '')`
	homeDigits = `REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(u.home_phone,
		' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', '')`

	findNamed = `SELECT u.customer_id, u.first_name, u.last_name, u.mobile_phone, u.home_phone
		FROM customers u WHERE u.customer_id IN `
)

const (
	maxNamesakes = 5000 // candidates that are read from one index
	fewNamesakes = 64   // candidates that are compared at a time
	phoneEnd     = 7
)

// namedPerson holds what a search compares of a customer.
type namedPerson struct {
	id                        int
	first, last, mobile, home string
}

func scanNamed(row db.Scan) (p namedPerson, err error) {
	err = row(&p.id, &p.first, &p.last, &p.mobile, &p.home)
	return p, err
}

// Search returns the IDs of the customers with a name or a telephone number.
func (t customers) Search(of store.PeopleQuery) ([]int, error) {
	if digits := digitsOf(of.Text); len(digits) >= phoneEnd && !strings.ContainsFunc(of.Text, isWord) {
		return t.searchPhone(of, digits)
	}
	words := strings.Fields(strings.ToLower(of.Text))
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	ways := []func(string) []span{asTyped, spellings}
	if store.Fold(of.Text) != strings.ToLower(of.Text) {
		ways = ways[1:]
	}
	for _, spansOf := range ways { // as typed, a word has one span; with accents, about twenty
		for i, word := range words { // the longest is the rarest; a word may also be inside a name
			others := slices.Delete(slices.Clone(words), i, i+1)
			ids, err := t.searchWord(of, spansOf(word), others)
			if err != nil || len(ids) > 0 {
				return ids, err
			}
		}
	}
	return nil, nil
}

func (t customers) searchPhone(of store.PeopleQuery, digits string) ([]int, error) {
	args := []any{digits[len(digits)-phoneEnd:], maxNamesakes}
	lanes := []laneQuery{{listByMobilePhone, args}, {listByHomePhone, args}}
	return t.people(of, lanes, func(p namedPerson) bool {
		return isSamePhone(p.mobile, digits) || isSamePhone(p.home, digits)
	})
}

// searchWord searches the spans of one word for the names that match the query. The database checks
// for the others among its words.
func (t customers) searchWord(
	of store.PeopleQuery, spans []span, others []string,
) ([]int, error) {
	var lanes []laneQuery
	patterns := likeWords(others)
	for _, of := range spans {
		args := append([]any{of.from, of.to, maxNamesakes}, patterns...)
		for _, text := range []string{listByFirstName, listByLastName, listByLastWord} {
			lanes = append(lanes, laneQuery{text, args})
		}
	}
	return t.people(of, lanes, func(p namedPerson) bool {
		return store.HasWords(p.first+" "+p.last, of.Text)
	})
}

// accented lists the letters that may have an accent or another mark.
const accented = "acdeghijklnorstuwyz"

// span is a range of names: from is included, to is not.
type span struct{ from, to string }

// beginning returns the spans of the names that begin with one of the words.
func beginning(words ...string) []span {
	var all []span
	for _, word := range slices.Compact(words) {
		all = append(all, span{word, word + "\U0010FFFF"})
	}
	return all
}

// asTyped returns the spans of the names that begin with a word as it is written.
func asTyped(word string) []span { return beginning(word, upperBeyondASCII(word)) }

// fewLetters is the length of a prefix that few names have before a letter with an accent.
const fewLetters = 3

// spellings returns the spans of the names that begin with a word, with or without accents. The
// index holds the bytes of names, so names that are the same up to a letter with an accent are
// adjacent.
func spellings(word string) []span {
	folded := store.Fold(word)
	all := beginning(folded, word, upperBeyondASCII(word))
	for i, letter := range folded {
		switch begin := folded[:i]; {
		case letter > unicode.MaxASCII:
			return all
		case !strings.ContainsRune(accented, letter):
		case i >= fewLetters:
			all = append(all, span{begin + "\u00C0", begin + "\u1F00"})
		default:
			for _, of := range markedLetters()[byte(letter)] {
				all = append(all, span{begin + string(of.first), begin + string(of.last+1)})
			}
			begin += string(letter) // with a combining mark, as in the lower case of İ
			all = append(all, span{begin + "\u0300", begin + "\u0370"})
		}
	}
	return all
}

// runes is a range of consecutive letters.
type runes struct{ first, last rune }

// markedLetters returns the letters with marks of the European languages and of Vietnamese, by the
// letter without its mark.
var markedLetters = sync.OnceValue(func() map[byte][]runes {
	all := map[byte][]runes{}
	for _, block := range []runes{{'À', 'ſ'}, {'Ơ', 'ơ'}, {'Ư', 'ư'}, {'Ș', 'ț'}, {'Ạ', 'ỹ'}} {
		for r := block.first; r <= block.last; r++ {
			letter := store.Fold(string(r))[0]
			list := all[letter]
			if n := len(list); n > 0 && list[n-1].last == r-1 {
				list[n-1].last = r
				continue
			}
			all[letter] = append(list, runes{r, r})
		}
	}
	return all
})

// maxWords bounds the words that the database checks, besides the one that is looked up.
const maxWords = 3

// likeWords returns patterns for names that contain the first of the words, and then the same
// patterns for names with accents. It skips words that a database may convert to lower case
// differently than Go.
func likeWords(words []string) []any {
	plain, marked := []any{}, []any{}
	for _, word := range words {
		if len(plain) < maxWords && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789") == "" {
			plain = append(plain, "%"+word+"%")
			marked = append(marked, accentPattern(word))
		}
	}
	for len(plain) < maxWords {
		plain, marked = append(plain, "%"), append(marked, "%")
	}
	return append(plain, marked...)
}

// people reads the lanes of each program and returns the first customers that match.
func (t customers) people(
	of store.PeopleQuery, lanes []laneQuery, fits func(namedPerson) bool,
) (ids []int, err error) {
	candidates, err := t.numbersOfPrograms(of.Programs, math.MaxInt, lanes...)
	if err != nil {
		return nil, err
	}
	for chunk := range slices.Chunk(candidates, fewNamesakes) {
		people, err := db.FindMany(t.session, scanNamed, findNamed, chunk)
		if err != nil {
			return nil, err
		}
		for _, p := range people {
			if fits(p) {
				ids = append(ids, p.id)
			}
		}
		if len(ids) >= of.Limit {
			break
		}
	}
	slices.Sort(ids)
	return ids[:min(of.Limit, len(ids))], nil
}

// isWord reports whether a rune never occurs in a telephone number as people type it.
func isWord(r rune) bool { return !strings.ContainsRune("0123456789+()-./ ", r) }

// isSamePhone reports whether two telephone numbers are the same, except that one may have the
// country code.
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

// upperBeyondASCII converts the non-ASCII letters of a word to upper case, as they may be in the
// index of the embedded database: its LOWER knows only ASCII.
func upperBeyondASCII(word string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 {
			return r
		}
		return []rune(strings.ToUpper(string(r)))[0]
	}, word)
}
