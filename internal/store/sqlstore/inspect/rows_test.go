package inspect

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"mintmark/internal/store/sqlstore/snapshot"
)

// TestTableRows reads rows up to their end marker through buffers that do not match their length.
func TestTableRows(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200)
	for _, rows := range []string{
		"", "1\ta\n", "1\t\\\\.\n2\t\\N\n", long + "\n" + long + "\n", "\\.x\n.\n",
	} {
		in := bufio.NewReaderSize(strings.NewReader(rows+rowsEnd+"behind\n"), 16)
		got, err := io.ReadAll(iotest.OneByteReader(&tableRows{from: in, fresh: true}))
		if err != nil || string(got) != rows {
			t.Errorf("%q is read as %q, %v", rows, got, err)
		}
		if rest, err := in.ReadString('\n'); rest != "behind\n" || err != nil {
			t.Errorf("behind %q stands %q, %v", rows, rest, err)
		}
		for cut := range len(rows) {
			in := bufio.NewReaderSize(strings.NewReader(rows[:cut]), 16)
			_, err := io.ReadAll(&tableRows{from: in, fresh: true})
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%q without its end: %v", rows[:cut], err)
			}
		}
	}
}

// TestAmong checks that a table is recognized by its name and columns.
func TestAmong(t *testing.T) {
	t.Parallel()
	tables := []snapshot.Table{{Name: "cards", Columns: []string{"card_id", "tag"}}}
	for text, want := range map[string]bool{
		"cards card_id": true, "cards tag card_id": true, "cards colour": false,
		"cards; card_id": false, "purses card_id": false,
	} {
		words := strings.Fields(text)
		if got := (line{Table: words[0], Columns: words[1:]}).among(tables); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
