package sqlstore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mintmark/internal/card"
)

// column is a column of a card.
type column struct {
	name string
	same func(a, b *card.Card) bool
	of   func(*card.Card) any
}

// cardColumns are the columns of a card but its number.
var cardColumns = []column{
	plain("program_id", func(c *card.Card) int { return c.ProgramID }),
	plain("customer_id", func(c *card.Card) int { return c.CustomerID }),
	plain("holder_id", func(c *card.Card) int { return c.HolderID }),
	plain("type", func(c *card.Card) string { return c.Type }),
	plain("vendor", func(c *card.Card) string { return c.Vendor }),
	plain("bin_id", func(c *card.Card) int { return c.BinID }),
	plain("status", func(c *card.Card) string { return string(c.Status) }),
	plain("lock_type", func(c *card.Card) string { return string(c.Lock.Type) }),
	plain("lock_reason", func(c *card.Card) string { return string(c.Lock.Reason) }),
	{
		"tag",
		func(a, b *card.Card) bool { return a.Tag == b.Tag },
		func(c *card.Card) any { return orNull(c.Tag) },
	},
	plain("nickname", func(c *card.Card) string { return c.NickName }),
	{
		"nick_key",
		func(a, b *card.Card) bool { return a.NickName == b.NickName },
		func(c *card.Card) any { return nickKey(c.NickName) },
	},
	plain("first_name", func(c *card.Card) string { return c.Name.First }),
	plain("middle_name", func(c *card.Card) string { return c.Name.Middle }),
	plain("last_name", func(c *card.Card) string { return c.Name.Last }),
	plain("qualifier", func(c *card.Card) string { return c.Qualifier }),
	plain("last_four", func(c *card.Card) string { return c.LastFour }),
	plain("expire_month", func(c *card.Card) int { return c.ExpireMonth }),
	plain("expire_year", func(c *card.Card) int { return c.ExpireYear }),
	plain("is_digital_only", func(c *card.Card) bool { return c.DigitalOnly }),
	plain("primary_category", func(c *card.Card) string { return string(c.PrimaryCategory) }),
	moment("created_at", func(c *card.Card) time.Time { return c.Created }),
	moment("requested_at", func(c *card.Card) time.Time { return c.Requested }),
	moment("verified_at", func(c *card.Card) time.Time { return c.Verified }),
	moment("reissued_at", func(c *card.Card) time.Time { return c.Reissued }),
	moment("denied_at", func(c *card.Card) time.Time { return c.Denied }),
	moment("expired_at", func(c *card.Card) time.Time { return c.Expired }),
	moment("archived_at", func(c *card.Card) time.Time { return c.Archived }),
	// Every change writes these two, even in the millisecond of the last one: another statement
	// would have to be prepared for that.
	{"modified_at", never, func(c *card.Card) any { return millis(c.Modified) }},
	{"revision", never, func(c *card.Card) any { return c.Revision }},
}

func never(_, _ *card.Card) bool { return false }

// plain is a column that is written as it is.
func plain[T comparable](name string, of func(*card.Card) T) column {
	return column{
		name,
		func(a, b *card.Card) bool { return of(a) == of(b) },
		func(c *card.Card) any { return of(c) },
	}
}

// moment is a column for a time.
func moment(name string, of func(*card.Card) time.Time) column {
	return column{
		name,
		func(a, b *card.Card) bool { return of(a).Equal(of(b)) },
		func(c *card.Card) any { return millis(of(c)) },
	}
}

// cardArgs are the values of cardColumns, with room for the number of the card.
func cardArgs(c *card.Card) []any {
	args := make([]any, 0, len(cardColumns)+1)
	for _, one := range cardColumns {
		args = append(args, one.of(c))
	}
	return args
}

var (
	insertCard   = insertInto(cardColumns)
	insertCardAs = insertInto(append(slices.Clone(cardColumns), column{name: "card_id"}))
)

// insertInto is the statement that inserts a card.
func insertInto(columns []column) string {
	var names, places []string
	for i, one := range columns {
		names = append(names, one.name)
		places = append(places, "$"+strconv.Itoa(i+1))
	}
	return "INSERT INTO cards (" + strings.Join(names, ", ") + ") VALUES (" +
		strings.Join(places, ", ") + ")"
}

// updateCard returns the statement that changes a card in the columns in which it differs from what
// it was, or in all. The number of the card and its revision come last.
func updateCard(before, after *card.Card, all bool) (text string, args []any) {
	const few = 8 // values that most acts write
	args = make([]any, 0, few)
	changed := columnSet(0)
	for i, one := range cardColumns {
		if all || !one.same(before, after) {
			args = append(args, one.of(after))
			changed |= 1 << i
		}
	}
	known, ok := updates.Load(changed)
	if !ok {
		known, _ = updates.LoadOrStore(changed, changed.update())
	}
	text, _ = known.(string)
	return text, args
}

// columnSet holds a bit for each of cardColumns.
type columnSet uint64

// updates are the statements that were written before, by the columns that they change. There are
// as many as there are kinds of change, which are few.
var updates sync.Map

// update writes the statement that changes these columns.
func (s columnSet) update() string {
	var set []string
	for i, one := range cardColumns {
		if s&(1<<i) != 0 {
			set = append(set, one.name+" = $"+strconv.Itoa(len(set)+1))
		}
	}
	return fmt.Sprintf("UPDATE cards SET %s WHERE card_id = $%d AND revision = $%d",
		strings.Join(set, ", "), len(set)+1, len(set)+2)
}
