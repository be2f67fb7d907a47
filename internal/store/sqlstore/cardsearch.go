package sqlstore

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// A search reads blocks of packed texts, in which each card is a line break followed by a line. It
// starts with the newest block and skips those that, by the index of n-grams (cardgrams.go), cannot
// contain the text. Blocks may overlap, because cards that were inserted late have their own
// blocks. Cards that are in no block yet are read one by one.
//
// A trigram index (pg_trgm, FTS5) would cost more, when a card is ordered, than all of its other
// indexes together.

// The number of blocks that are read at a time, at first and at most, and the number that are
// considered at a time.
const (
	fewBlocks    = 4
	maxBlocks    = 32
	lookedBlocks = 256
)

// textSearch searches the packed texts of cards.
type textSearch struct {
	session db.Session
	needles [][]byte // a candidate contains all of them
	ids     []int    // descending; those not returned yet
	floor   int      // the cards of all blocks that are still to be read have smaller IDs
	blocks  int      // the number that is read next, at most
	grams   []gramIndex
	begun   bool
}

// search returns a source of the cards with a text. If many cards contain its parts but not the
// text, it continues with a search for the text as typed.
func (t cardSearch) search(text string) cardSource {
	typed := norm.NFC.Bytes([]byte(store.SearchNeedle(text)))
	s := &textSearch{session: t.session, needles: needlesOf(typed), blocks: fewBlocks}
	isExact := len(s.needles) == 1 && bytes.Equal(s.needles[0], typed)
	looked := 0
	return func(before, count int) ([]int, error) {
		if looked > maxCandidates && !isExact {
			s = &textSearch{session: t.session, needles: [][]byte{typed}, blocks: fewBlocks}
			isExact = true
		}
		numbers, err := s.next(before, count)
		looked += len(numbers)
		return numbers, err
	}
}

// fewBytes is the minimum length of a needle: few texts contain a given string of this length.
const fewBytes = 3

// needlesOf returns the strings that every card matching a text contains, in whatever order its
// words come, and also if only the typed text has accents: the longer parts of the words between
// non-ASCII letters. A text without such parts is searched for as it is. The texts of cards keep
// their accents, so a card with an accent is found only by a text that has it.
func needlesOf(typed []byte) [][]byte {
	parts := bytes.FieldsFunc(typed, func(r rune) bool { return r == ' ' || r > unicode.MaxASCII })
	parts = slices.DeleteFunc(parts, func(part []byte) bool { return len(part) < fewBytes })
	if len(parts) == 0 {
		return [][]byte{typed}
	}
	return parts
}

// holdsAll reports whether a line contains all needles.
func holdsAll(line []byte, needles [][]byte) bool {
	lacks := func(needle []byte) bool { return !bytes.Contains(line, needle) }
	return !slices.ContainsFunc(needles, lacks)
}

// next returns candidates below before. A candidate is held back until no block can contain a
// greater one.
func (s *textSearch) next(before, count int) ([]int, error) {
	if !s.begun {
		if err := s.begin(before); err != nil {
			return nil, err
		}
	}
	for {
		ready := 0
		for ready < len(s.ids) && s.ids[ready] >= s.floor {
			ready++
		}
		if ready > 0 || s.floor == 0 {
			taken := s.ids[:min(ready, count)]
			s.ids = s.ids[len(taken):]
			return taken, nil
		}
		if err := s.read(before); err != nil {
			return nil, err
		}
	}
}

const (
	textColumns = `c.card_id, c.tag, c.nickname, c.first_name, c.middle_name, c.last_name,
		c.last_four`
	findPackedThrough = `SELECT COALESCE(MAX(last_card), 0) FROM card_texts`
	listUnpackedCards = `SELECT ` + textColumns + ` FROM cards c
		WHERE c.card_id > $1 AND c.card_id < $2`
	listLateUnpacked = `SELECT ` + textColumns + ` FROM cards c
		WHERE c.card_id IN (SELECT card_id FROM late_cards WHERE card_id < $1)`
)

// begin searches the cards that are in no block, and reads the index of n-grams.
func (s *textSearch) begin(before int) error {
	through := 0
	if _, err := db.Find(s.session, []any{&through}, findPackedThrough); err != nil {
		return err
	}
	each := func(row db.Scan) error {
		c, err := scanCardText(row)
		if holdsAll([]byte(c.SearchText()), s.needles) {
			s.ids = append(s.ids, c.ID)
		}
		return err
	}
	err := s.session.Query(
		db.Query{Text: listUnpackedCards, Args: []any{through, before}, Each: each},
		db.Query{Text: listLateUnpacked, Args: []any{before}, Each: each})
	if err != nil {
		return err
	}
	s.ids, s.floor, s.begun = descending(s.ids), through+1, true
	for _, needle := range s.needles {
		grams, err := indexFor(s.session, needle)
		if err != nil {
			return err
		}
		s.grams = append(s.grams, grams)
	}
	return nil
}

// mayHold reports whether a block may contain all needles.
func (s *textSearch) mayHold(number int) bool {
	lacks := func(grams gramIndex) bool { return !grams.mayHold(number) }
	return !slices.ContainsFunc(s.grams, lacks)
}

// scanCardText scans textColumns.
func scanCardText(row db.Scan) (store.CardSummary, error) {
	var c store.CardSummary
	err := row(&c.ID, &c.Tag, &c.NickName, &c.Name.First, &c.Name.Middle, &c.Name.Last, &c.LastFour)
	return c, err
}

const (
	listBlocks = `SELECT last_card, number FROM card_texts
		WHERE last_card < $1 AND first_card < $2 ORDER BY last_card DESC LIMIT 0 + $3`
	findBlocks = `SELECT last_card, number, texts FROM card_texts WHERE last_card IN `
)

// read searches the next blocks that may contain the text.
func (s *textSearch) read(before int) error {
	looked, last := 0, 0
	var blocks []int
	err := s.session.Query(db.Query{
		Text: listBlocks, Args: []any{s.floor, before, lookedBlocks}, Each: func(row db.Scan) error {
			if len(blocks) == s.blocks {
				return nil // left for the next read
			}
			number := 0
			err := row(&last, &number)
			if s.mayHold(number) {
				blocks = append(blocks, last)
			}
			looked++
			return err
		},
	})
	if err != nil {
		return err
	}
	packed, err := db.FindMany(s.session, scanPackedBlock, findBlocks, blocks)
	if err != nil {
		return err
	}
	s.floor = last
	if looked < lookedBlocks && len(blocks) < s.blocks {
		s.floor = 0
	}
	s.blocks = min(2*s.blocks, maxBlocks)
	for _, block := range packed {
		for _, number := range appendMatches(nil, block.text, s.needles...) {
			if number < before {
				s.ids = append(s.ids, number)
			}
		}
	}
	s.ids = descending(s.ids)
	return nil
}

// appendMatches appends the card IDs of the lines of a block that contain all needles. The ID of a
// card is the second field of its line.
func appendMatches(numbers []int, block []byte, needles ...[]byte) []int {
	longest := slices.MaxFunc(needles, func(a, b []byte) int { return len(a) - len(b) })
	for from := 0; ; {
		at := bytes.Index(block[from:], longest)
		if at < 0 {
			return numbers
		}
		at += from
		end := len(block)
		if size := bytes.IndexByte(block[at+1:], '\n'); size >= 0 { // a needle may begin with it
			end = at + 1 + size
		}
		line := block[bytes.LastIndexByte(block[:at+1], '\n')+1 : end]
		_, rest, _ := bytes.Cut(line, []byte{'\t'})
		digits, _, _ := bytes.Cut(rest, []byte{'\t'})
		number, err := strconv.Atoi(string(digits))
		if err == nil && (len(needles) == 1 || holdsAll(line, needles)) {
			numbers = append(numbers, number)
		}
		from = end
	}
}

// blockCards is the number of cards in a block.
const blockCards = 1000

// putLateCard records a card that was inserted under an ID which the packing may have passed.
const putLateCard = `INSERT INTO late_cards (card_id) SELECT p.card_id FROM
	(SELECT CAST($1 AS BIGINT) AS card_id) p
	WHERE p.card_id <= (SELECT newest_card FROM card_packing)`

const (
	findPacking = `SELECT settled_card, looked_at,
			(SELECT COALESCE(MAX(last_card), 0) FROM card_texts),
			(SELECT COALESCE(MAX(card_id), 0) FROM cards)
		FROM card_packing`
	listSettledCards = `SELECT ` + textColumns + ` FROM cards c
		WHERE c.card_id > $1 AND c.card_id <= $2 ORDER BY c.card_id LIMIT 0 + $3`
	listLateCards = `SELECT ` + textColumns + ` FROM cards c
		WHERE c.card_id IN (SELECT card_id FROM late_cards ORDER BY card_id LIMIT 0 + $1)
		ORDER BY c.card_id`
)

// FindNextBlock returns the next full block, or a block without cards if there is none.
func (t cardSearch) FindNextBlock() (store.CardBlock, error) {
	var block store.CardBlock
	var settled, through int
	_, err := db.Find(t.session, []any{&settled, db.Time{To: &block.Marked}, &through,
		&block.NewestCard}, findPacking)
	if err != nil {
		return store.CardBlock{}, err
	}
	var next, late []store.CardSummary
	err = t.session.Query(db.Rows(&next, scanCardText, listSettledCards, through, settled,
		blockCards),
		db.Rows(&late, scanCardText, listLateCards, blockCards))
	if len(next) < blockCards && len(late) == blockCards {
		next, block.Late = late, true
	}
	if err != nil || len(next) < blockCards {
		return block, err
	}
	for _, c := range next {
		block.Text = append(append(block.Text, '\n'), c.SearchText()...)
	}
	block.First, block.Last, block.Cards = next[0].ID, next[len(next)-1].ID, len(next)
	return block, nil
}

const (
	findNextNumber = `SELECT COALESCE(MAX(number), 0) + 1 FROM card_texts`
	putBlock       = `INSERT INTO card_texts (last_card, first_card, cards, texts, number)
		VALUES ($1, $2, $3, $4, $5)`
	deleteLateCard = `DELETE FROM late_cards WHERE card_id = $1`
	putPackingMark = `UPDATE card_packing SET settled_card = newest_card, newest_card = $1,
			looked_at = $2`
)

// PutBlock inserts a block, or moves the mark. A card that was inserted late since the block was
// found may lie between its cards, and stays late.
func (t cardSearch) PutBlock(b store.CardBlock) error {
	if b.Cards > 0 {
		number := 0
		if _, err := db.Find(t.session, []any{&number}, findNextNumber); err != nil {
			return err
		}
		err := errors.Join(
			t.session.Write(putBlock, b.Last, b.First, b.Cards, b.Text, number),
			putGrams(t.session, packedBlock{b.Last, number, b.Text}))
		if err != nil || !b.Late {
			return err
		}
		for _, cardID := range appendMatches(nil, b.Text, []byte{'\n'}) {
			if err := t.session.Write(deleteLateCard, cardID); err != nil {
				return err
			}
		}
		return nil
	}
	now, err := t.session.Now()
	if err != nil {
		return t.session.Fail(err)
	}
	return t.session.Write(putPackingMark, b.NewestCard, now.UnixMilli())
}
