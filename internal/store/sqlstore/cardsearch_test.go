package sqlstore

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mintmark/internal/domain/card"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/sqlite"
)

// TestAppendMatches compares the matches in a block with the search text of each card.
func TestAppendMatches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom([]rune("aB1 \t\n")), 0, 4, -1)
		var block []byte
		var cards []store.CardSummary
		for i := range rapid.IntRange(0, 6).Draw(t, "cards") {
			c := store.CardSummary{
				ID: 11 + i, Tag: word.Draw(t, "tag"), NickName: word.Draw(t, "nickname"),
				Name:     card.Name{First: word.Draw(t, "name")},
				LastFour: fmt.Sprintf("%04d", rapid.IntRange(0, 12).Draw(t, "last four")),
			}
			cards = append(cards, c)
			block = append(append(block, '\n'), c.SearchText()...)
		}
		text := store.SearchNeedle(word.Draw(t, "text"))
		var withText []int
		for _, c := range cards {
			if text != "" && strings.Contains(c.SearchText(), text) {
				withText = append(withText, c.ID)
			}
		}
		if text == "" {
			return
		}
		if got := appendMatches(nil, block, []byte(text)); !slices.Equal(got, withText) {
			t.Errorf("%q is in %v, found in %v, of %q", text, withText, got, block)
		}
	})
}

// counting is a session that counts the rows of the queries that begin with text.
type counting struct {
	db.Session
	text string
	rows int
}

func (c *counting) Query(queries ...db.Query) error {
	for i, q := range queries {
		if strings.HasPrefix(q.Text, c.text) {
			queries[i].Each = func(row db.Scan) error {
				c.rows++
				return q.Each(row)
			}
		}
	}
	return c.Session.Query(queries...)
}

// TestSearchReadsFewBlocks checks that a search reads only the blocks that contain its text, and
// stops when its page is full.
func TestSearchReadsFewBlocks(t *testing.T) {
	t.Parallel()
	engine, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "mintmark.db"),
		sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	const blocks, each = 100, 200
	err = engine.Update(t.Context(), func(s db.Session) error {
		for i := range blocks {
			b := store.CardBlock{First: i*each + 1, Last: (i + 1) * each, Cards: each}
			for id := b.First; id <= b.Last; id++ {
				c := store.CardSummary{
					ID: id, LastFour: fmt.Sprintf("%04d", id*7919%10_000),
					Tag: fmt.Sprintf("tag-%d", id), Name: card.NewName("Maria", "", "Smith"),
				}
				if id%(33*each) == 0 {
					c.Name = card.NewName("Jamal", "", "Silva")
				}
				b.Text = append(append(b.Text, '\n'), c.SearchText()...)
			}
			if err := (cardSearch{&tx{session: s}}).PutBlock(b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantRead := func(text string, cards, read int) {
		t.Helper()
		err := engine.View(t.Context(), func(s db.Session) error {
			c := &counting{Session: s, text: findBlocks}
			next := (cardSearch{&tx{session: c}}).search(text)
			count, ids := 0, []int{blocks*each + 1}
			for count < 30 && len(ids) > 0 {
				var err error
				if ids, err = next(ids[len(ids)-1], 30-count); err != nil {
					return err
				}
				count += len(ids)
			}
			if count != cards || c.rows != read {
				t.Errorf("%q: %d cards out of %d blocks, want %d out of %d", text, count, c.rows,
					cards, read)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	wantRead("jamal silva", 3, 3)
	wantRead("SILV", 3, 3)
	wantRead("tag-19999", 1, 1)
	wantRead("maria", 30, 4)
	wantRead("silva 4454", 0, 0)
	wantRead("zq", 0, 0)
	wantRead("zë", 0, 0)
	wantRead("al b", 0, 0)
	err = engine.View(t.Context(), func(s db.Session) error {
		next := (cardSearch{&tx{session: s}}).search("aria mith") // no word begins with these
		looked := 0
		for ids := []int{blocks*each + 1}; len(ids) > 0; looked += len(ids) {
			var err error
			if ids, err = next(ids[len(ids)-1], fewCandidates); err != nil {
				return err
			}
		}
		if looked > maxCandidates+fewCandidates {
			t.Errorf("%d cards are candidates of a text that none has", looked)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = engine.Update(t.Context(), func(s db.Session) error {
		return erasure{&tx{session: s}}.PutSearchText(store.CardSummary{
			ID: 33 * each, LastFour: "1111", Name: card.NewName("Olga", "", "Smith"),
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	wantRead("silva", 2, 2)
	wantRead("olga", 1, 1)
}
