package storetest

import (
	"context"
	"strconv"
	"testing"
	"time"

	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/card"
	"mintmark/internal/store"
)

var casing = []test{
	{"Tags", casingTags},
	{"NickNames", casingNickNames},
	{"NickNameFree", casingNickNameFree},
	{"Cultures", casingCultures},
	{"InForce", documentsInForce},
	{"AnyBytes", casingAnyBytes},
}

// documentsInForce lists documents by culture and dates, with their HTML unless that is too long.
func documentsInForce(t *testing.T, s store.Store) {
	background(t, s)
	put := func(id int, culture string, effective, expires time.Time) bankdoc.Document {
		d := document(id, culture)
		d.HTML, d.Effective, d.Expires = "<p>é</p>", effective, expires // 9 bytes
		update(t, s, func(tx store.Tx) error { return tx.Documents().Put(d) })
		d.PDF, d.HasPDF = nil, true
		return d
	}
	put(31, "en-US", created.Add(-time.Hour), created)
	ends := put(32, "en-US", created.Add(-time.Hour), created.Add(1e6))
	begins := put(33, "EN-us", created, time.Time{})
	put(34, "en-US", created.Add(1e6), time.Time{})
	put(35, "es-US", created, time.Time{})
	query := store.DocumentsInForce{BankID: bankID, Culture: "en-us", At: created}
	list := func(q store.DocumentsInForce, most int) func(store.Tx) ([]bankdoc.Document, error) {
		return func(r store.Tx) ([]bankdoc.Document, error) {
			return r.Documents().ListInForce(q, most)
		}
	}
	both := []bankdoc.Document{ends, begins}
	wantFind(t, s, both, list(query, store.NoLimit))
	wantFind(t, s, both, list(query, 18))
	view(t, s, func(r store.Tx) error {
		_, err := list(query, 17)(r)
		wantError(t, "18 bytes", err, store.ErrTooMany)
		return nil
	})
	query.Type = "CardInfo"
	wantFind(t, s, both, list(query, store.NoLimit))
	query.Type = "FeeSchedule"
	wantFind(t, s, nil, list(query, 1))
	query.Type, query.BankID = "", bankID+1
	wantFind(t, s, nil, list(query, 1))
}

// casingTags checks that tags are equal only if they match exactly, including trailing blanks. It
// tries the tags that a database is most likely to confuse.
func casingTags(t *testing.T, s store.Store) {
	background(t, s)
	ids := make(map[string]int)
	// The letter of the last two tags is one character in the first and two in the second.
	for i, tag := range []string{
		"tag", "TAG", "tag ", " tag", "tag\t", "0", "00", "t\u00e4g", "ta\u0308g",
	} {
		c := plain("card " + strconv.Itoa(i))
		c.Tag = tag
		ids[tag] = kept(t, s, c).ID
	}
	for tag, id := range ids {
		c := findTagged(t, s, tag)
		if c.ID != id || c.Tag != tag {
			t.Errorf("tag %q: got card %d with tag %q", tag, c.ID, c.Tag)
		}
	}
	for _, near := range []string{"Tag", "tag  ", "ta_", "ta%", "tag\n"} {
		if c := findTagged(t, s, near); c.ID != 0 {
			t.Errorf("tag %q: got card %d, want none", near, c.ID)
		}
	}
}

// findTagged returns the card with a tag. Both lookups by tag must return the same card.
func findTagged(t *testing.T, s store.Store, tag string) card.Card {
	t.Helper()
	view := find(t, s, func(r store.Tx) (store.CardView, error) {
		return r.Cards().FindView(programID, creatorID, store.CardKey{Tag: tag})
	})
	taken := findIssuance(t, s, store.IssuanceQuery{
		ProgramID: programID, CreatorID: creatorID, Names: true, Tag: tag,
	}).TagTaken
	if taken != (view.Card.ID != 0) {
		t.Errorf("tag %q: got card %d, and taken is %t", tag, view.Card.ID, taken)
	}
	return view.Card
}

// hasNickName reports whether a customer has a card with that nickname.
func hasNickName(t *testing.T, s store.Store, customerID int, nickName string) bool {
	t.Helper()
	return findIssuance(t, s, store.IssuanceQuery{
		ProgramID: programID, CreatorID: customerID, Names: true, NickName: nickName,
	}).NickNameTaken
}

// casingNickNames checks that nicknames ignore letter case, beyond ASCII too, and that blanks
// count.
func casingNickNames(t *testing.T, s store.Store) {
	background(t, s)
	kept(t, s, plain("Große Žaba"))
	cases := map[string]bool{
		"Große Žaba": true, "GROßE ŽABA": true, "große žaba": true,
		"Große Žaba ": false, "Große  Žaba": false, "Große": false,
	}
	for nickName, want := range cases {
		has := hasNickName(t, s, creatorID, nickName)
		if has != want {
			t.Errorf("nickname %q: got taken %t, want %t", nickName, has, want)
		}
		c := plain(nickName)
		err := s.Update(context.Background(), func(tx store.Tx) error { return tx.Cards().Put(&c) })
		if want {
			wantError(t, nickName, err, store.ErrExists)
		} else {
			wantError(t, nickName, err, nil)
		}
	}
	if hasNickName(t, s, holderID, "Große Žaba") {
		t.Error("the nickname is taken for the holder, want only for the creator")
	}
}

// casingNickNameFree checks in which statuses a card frees its nickname.
func casingNickNameFree(t *testing.T, s store.Store) {
	background(t, s)
	c := plain("mine")
	free := map[card.Status]bool{card.Archived: true, card.Reissued: true, card.Denied: true}
	c = kept(t, s, c)
	for _, status := range card.Statuses {
		c.Status = status
		c = changed(t, s, possible(c))
		has := hasNickName(t, s, creatorID, "MINE")
		if has == free[status] {
			t.Errorf("status %s: got nickname taken %t", status, has)
		}
		if !has {
			other := kept(t, s, plain("mine"))
			other.NickName = "another of " + string(status)
			changed(t, s, other)
		}
	}
}

// casingAnyBytes stores texts that no person types but a program may send. They must come back
// unchanged, and no two may be confused.
func casingAnyBytes(t *testing.T, s store.Store) {
	background(t, s)
	for i, text := range []string{
		"a\x00b", "a\x00", "\x00", "\x01", "\x0100", "\x01\x00", "ab", "\x7f", "\\000", "\\x00",
		"\ufffd", "\U0010ffff", "it's", "$1", "%s", "a\r\nb",
	} {
		c := plain("card " + strconv.Itoa(i) + text)
		c.Tag, c.Name = text, card.NewName(text, text, text)
		c = kept(t, s, c)
		wantSame(t, findCard(t, s, c.ID), c)
		wantSame(t, findTagged(t, s, text), c)
	}
	if c := findTagged(t, s, "no text \xff\xc0"); c.ID != 0 {
		t.Errorf("tag that is not UTF-8: got card %d, want none", c.ID)
	}
}

// casingCultures looks up a culture in a letter case other than the stored one. Only ASCII letters
// have two cases, so that both databases find the same.
func casingCultures(t *testing.T, s store.Store) {
	background(t, s)
	update(t, s,
		func(tx store.Tx) error {
			return tx.Documents().Put(bankdoc.Document{ID: 31, BankID: bankID, Culture: "en-US"})
		},
		func(tx store.Tx) error {
			return tx.Documents().Put(bankdoc.Document{ID: 32, BankID: bankID, Culture: "EN-us"})
		},
		func(tx store.Tx) error {
			return tx.Documents().Put(bankdoc.Document{ID: 33, BankID: bankID, Culture: "It-É"})
		},
	)
	for culture, want := range map[string]int{
		"en-US": 2, "en-us": 2, "EN-US": 2, "IT-É": 1, "it-É": 1, "it-é": 0, "en-U_": 0, "en%": 0,
		"en-US ": 0, "": 0,
	} {
		listed := find(t, s, func(r store.Tx) ([]bankdoc.Document, error) {
			return r.Documents().List(bankID, culture)
		})
		if len(listed) != want {
			t.Errorf("culture %q: got %d documents, want %d", culture, len(listed), want)
		}
	}
}
