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

// CardSearch finds cards for operators, in all programs of the banks they may see. No act of a
// caller reads through it. The search texts of cards are packed into blocks, so that one scan
// covers a million cards; List also finds cards that are not in a block yet.
type CardSearch interface {
	// List returns cards, greatest IDs first.
	List(of CardQuery) ([]CardSummary, error)
	// Count counts the cards of programs; nil for all.
	Count(programIDs []int) (CardCounts, error)

	// FindNextBlock returns the next block to put. A block without cards only advances the mark.
	FindNextBlock() (CardBlock, error)
	// PutBlock inserts a block. A block with cards must have been found in the same transaction:
	// then a concurrent erasure either finds the packed name or collides. PutBlock fails with
	// ErrExists when the block was put before.
	PutBlock(b CardBlock) error
}

// CardBlock holds the search texts of some cards, one per line.
type CardBlock struct {
	First, Last int // smallest and greatest card ID
	Cards       int
	Text        []byte
	Late        bool // the cards were inserted late: cards with greater IDs were packed before

	// NewestCard is the greatest card ID at the time the block was found. A block without cards
	// stores it as the new mark, and all cards up to the previous mark are then settled. Marked is
	// the time when the mark was last put; the mark may advance again when no transaction from that
	// time can still insert a card.
	NewestCard int
	Marked     time.Time
}

// CardQuery selects cards. A zero field does not restrict the result.
type CardQuery struct {
	Programs []int // programs that the operator may see; nil for all

	CardID     int
	CustomerID int // created or holds the card
	HolderIDs  []int
	HolderName string // each word begins a word of the holder's name, or of the name on the card
	Status     card.Status
	LockType   card.LockType
	LockReason card.Reason
	Tag        string
	LastFour   string
	Text       string // part of CardSummary.SearchText, or words that each begin a word of it

	Before int // cards with smaller IDs
	Limit  int // never 0
}

// CardSummary is a card in a list: without its accounts, and with its holder's name.
type CardSummary struct {
	ID, Revision, ProgramID int
	CustomerID, HolderID    int

	HolderFirst, HolderLast string // name of the customer who holds the card

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

// CardCounts holds the number of cards by status, and of locked cards.
type CardCounts struct {
	ByStatus map[card.Status]int
	Locked   int
}

// CustomerQuery selects customers. A zero field does not restrict the result.
type CustomerQuery struct {
	Programs []int // nil for all
	Status   customer.Status
	Text     string // part of the name, a telephone number or the customer ID; case-insensitive

	After int // customers with greater IDs
	Limit int // never 0
}

// PeopleQuery is a search for customers by name or telephone number.
type PeopleQuery struct {
	Programs []int  // nil for all
	Text     string // words that each begin a word of the name, or a telephone number
	Limit    int    // never 0
}

// AccountQuery selects accounts. A zero field does not restrict the result.
type AccountQuery struct {
	Programs   []int // nil for all
	CustomerID int   // the owner
	Status     customer.AccountStatus
	Text       string // part of the name, the tag, the masked number or the account ID

	After int // accounts with greater IDs
	Limit int // never 0
}

// HourCount is the number of entries in one hour by one kind of actor.
type HourCount struct {
	Hour    time.Time
	Kind    audit.Kind
	Count   int
	Refused int // how many of Count were refused
}

// searchSeparator separates the parts of a search text. No part contains it.
const searchSeparator = "\t"

// SearchText returns the text by which people search for the card, in lower case: its last four
// digits, ID, tag, nickname and the name on it. It never changes, except that a replaced card loses
// its tag.
func (c CardSummary) SearchText() string {
	name := strings.Join([]string{c.Name.First, c.Name.Middle, c.Name.Last}, " ")
	parts := []string{c.LastFour, strconv.Itoa(c.ID), c.Tag, c.NickName, name}
	for i, part := range parts {
		parts[i] = SearchNeedle(part)
	}
	return strings.Join(parts, searchSeparator)
}

// SearchNeedle normalizes a search text: lower case, single spaces.
func SearchNeedle(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(text), " "))
}

// Fold returns a text in lower case without accents.
func Fold(text string) string {
	withoutMarks := strings.Map(func(r rune) rune {
		if r >= '\u0300' && r <= '\u036f' { // combining marks
			return -1
		}
		return r
	}, norm.NFD.String(strings.ToLower(text)))
	return undecomposed.Replace(withoutMarks)
}

// undecomposed replaces letters with a mark that Unicode does not decompose.
var undecomposed = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d",
	"ł", "l", "ı", "i", "þ", "th", "ħ", "h")

// HasWords reports whether each word of words begins a word of name. It ignores case and accents.
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
