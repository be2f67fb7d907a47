package store

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
)

// CardSearch is how operators find cards, in all programs of the banks that they see. No act of a
// caller reads through it. The search texts of cards are packed into blocks, so that a million are
// searched in one go; cards that are in no block yet are found, too.
type CardSearch interface {
	// List returns cards, those with the greatest numbers first.
	List(of CardQuery) ([]CardSummary, error)
	// Count counts the cards of programs, of all for nil.
	Count(programIDs []int) (CardCounts, error)

	// FindNextBlock returns the next block that is to be put. One without cards only moves the
	// mark.
	FindNextBlock() (CardBlock, error)
	// PutBlock inserts a block. One with cards must have been found in the same transaction: an erasure finds
	// a name that is packed, or collides. It fails with ErrExists when the block was put before.
	PutBlock(b CardBlock) error
}

// CardBlock are the search texts of some cards, a line each.
type CardBlock struct {
	First, Last int // the smallest and the greatest number of a card
	Cards       int
	Text        []byte
	Late        bool // the cards were inserted under numbers that others had passed

	// NewestCard is the greatest number of a card when the block was found. A block without cards
	// puts it as the mark: what lay below the mark before is settled then. Marked is when the mark
	// was put last; it may move again when no transaction of that time can still insert a card.
	NewestCard int
	Marked     time.Time
}

// CardQuery says which cards are listed. A zero field does not restrict.
type CardQuery struct {
	Programs []int // those that the operator sees; nil for all

	CardID     int
	CustomerID int // who created or holds the card
	HolderIDs  []int
	HolderName string // words that each begin a word of the holder's name, or of that on the card
	Status     card.Status
	LockType   card.LockType
	LockReason card.Reason
	Tag        string
	LastFour   string
	Text       string // a part of CardSummary.SearchText, or words that each begin a word of it

	Before int // cards with smaller numbers
	Limit  int // never 0
}

// CardSummary is a card as it stands in a list: without its accounts, and with its holder's name.
type CardSummary struct {
	ID, Revision, ProgramID int
	CustomerID, HolderID    int

	HolderFirst, HolderLast string // the name of the customer who holds the card

	Type, Vendor string
	BinID        int
	Status       card.Status
	Lock         card.Lock
	Tag          string
	NickName     string
	Name         card.Name
	LastFour     string
	ExpireMonth  int
	ExpireYear   int
	DigitalOnly  bool

	Created, Verified, Modified time.Time
}

// CardCounts are how many cards there are.
type CardCounts struct {
	ByStatus map[card.Status]int
	Locked   int
}

// CustomerQuery says which customers are listed. A zero field does not restrict.
type CustomerQuery struct {
	Programs []int // nil for all
	Status   customer.Status
	Text     string // a part of the name, a telephone number or the number, in any letter case

	After int // customers with greater numbers
	Limit int // never 0
}

// PeopleQuery says which customers are searched for.
type PeopleQuery struct {
	Programs []int  // nil for all
	Text     string // words that each begin a word of the name, or a telephone number
	Limit    int    // never 0
}

// AccountQuery says which accounts are listed. A zero field does not restrict.
type AccountQuery struct {
	Programs   []int // nil for all
	CustomerID int   // the owner
	Status     customer.AccountStatus
	Text       string // a part of the name, the tag, the masked number or the number

	After int // accounts with greater numbers
	Limit int // never 0
}

// HourCount is the number of entries of one hour and one kind of actor.
type HourCount struct {
	Hour    time.Time
	Kind    audit.Kind
	Count   int
	Refused int // of them
}

// searchSeparator stands between the parts of a search text. No part holds it.
const searchSeparator = "\t"

// SearchText returns what a person would search a card by, in lower case: its last four digits, its
// number, its tag, its nickname and the name on it. It never changes, except
// that a replaced card loses its tag.
func (c CardSummary) SearchText() string {
	name := strings.Join([]string{c.Name.First, c.Name.Middle, c.Name.Last}, " ")
	parts := []string{c.LastFour, strconv.Itoa(c.ID), c.Tag, c.NickName, name}
	for i, part := range parts {
		parts[i] = SearchNeedle(part)
	}
	return strings.Join(parts, searchSeparator)
}

// SearchNeedle returns a text as it is searched for: in lower case, with single spaces.
func SearchNeedle(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(text), " "))
}

// Fold returns a text in lower case and without accents.
func Fold(text string) string {
	withoutMarks := strings.Map(func(r rune) rune {
		if r >= '\u0300' && r <= '\u036f' { // combining
			return -1
		}
		return r
	}, norm.NFD.String(strings.ToLower(text)))
	return undecomposed.Replace(withoutMarks)
}

// undecomposed are the letters with a mark that Unicode does not decompose.
var undecomposed = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d",
	"ł", "l", "ı", "i", "þ", "th", "ħ", "h")

// HasWords reports whether each word of a text begins a word of a name, in any letter case, with
// accents or without.
func HasWords(name, words string) bool {
	parts := strings.Fields(Fold(name))
	for _, word := range strings.Fields(Fold(words)) {
		begun := func(part string) bool { return strings.HasPrefix(part, word) }
		if !slices.ContainsFunc(parts, begun) {
			return false
		}
	}
	return true
}

// Fits reports whether the query matches the card. It ignores Before and Limit.
func (of CardQuery) Fits(c CardSummary) bool {
	return (of.Programs == nil || slices.Contains(of.Programs, c.ProgramID)) &&
		(of.CardID == 0 || c.ID == of.CardID) &&
		(of.CustomerID == 0 || c.CustomerID == of.CustomerID || c.HolderID == of.CustomerID) &&
		(of.HolderIDs == nil || slices.Contains(of.HolderIDs, c.HolderID)) &&
		(of.HolderName == "" || HasWords(c.HolderFirst+" "+c.HolderLast, of.HolderName) ||
			HasWords(strings.Join([]string{c.Name.First, c.Name.Middle, c.Name.Last}, " "),
				of.HolderName)) &&
		(of.Status == "" || c.Status == of.Status) &&
		(of.LockType == "" || c.Lock.Type == of.LockType) &&
		(of.LockReason == "" || c.Lock.Reason == of.LockReason) &&
		(of.Tag == "" || c.Tag == of.Tag) &&
		(of.LastFour == "" || c.LastFour == of.LastFour) &&
		(of.Text == "" || strings.Contains(Fold(c.SearchText()), Fold(SearchNeedle(of.Text))) ||
			HasWords(c.SearchText(), of.Text))
}
