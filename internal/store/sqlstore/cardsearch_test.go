package sqlstore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mintmark/internal/domain/card"
	"mintmark/internal/store"
)

// TestAppendMatches compares what is found in a block with what each card says of itself.
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
		lastFour := fmt.Sprintf("%04d", rapid.IntRange(0, 12).Draw(t, "asked"))
		var withText, withFour []int
		for _, c := range cards {
			if text != "" && strings.Contains(c.SearchText(), text) {
				withText = append(withText, c.ID)
			}
			if c.LastFour == lastFour {
				withFour = append(withFour, c.ID)
			}
		}
		if text != "" {
			if got := appendMatches(nil, block, []byte(text)); !slices.Equal(got, withText) {
				t.Errorf("%q is in %v, found in %v, of %q", text, withText, got, block)
			}
		}
		needle := []byte("\n" + store.LastFourNeedle(lastFour))
		if got := appendMatches(nil, block, needle); !slices.Equal(got, withFour) {
			t.Errorf("%s is in %v, found in %v, of %q", lastFour, withFour, got, block)
		}
	})
}
