package store

import (
	"slices"
	"strconv"
	"strings"
)

// searchSeparator stands between the parts of a search text. No part holds it.
const searchSeparator = "\t"

// SearchText returns what a person would search a card by, in lower case: its last four digits, its
// number, its tag, its nickname and the name on it. It does not change while the card lives, but
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

// LastFourNeedle is what the search text of a card with these last four digits begins with.
func LastFourNeedle(lastFour string) string { return lastFour + searchSeparator }

// Fits reports whether a list holds the card. It asks everything but Before and Limit.
func (of CardQuery) Fits(c CardSummary) bool {
	return (of.Programs == nil || slices.Contains(of.Programs, c.ProgramID)) &&
		(of.CardID == 0 || c.ID == of.CardID) &&
		(of.CustomerID == 0 || c.CustomerID == of.CustomerID || c.HolderID == of.CustomerID) &&
		(of.Status == "" || c.Status == of.Status) &&
		(of.LockType == "" || c.Lock.Type == of.LockType) &&
		(of.LockReason == "" || c.Lock.Reason == of.LockReason) &&
		(of.Tag == "" || c.Tag == of.Tag) &&
		(of.LastFour == "" || c.LastFour == of.LastFour) &&
		(of.Text == "" || strings.Contains(c.SearchText(), SearchNeedle(of.Text)))
}
