package audit

import (
	"encoding/binary"
	"strings"
)

// Sealed is an entry at its position in the sealed log.
type Sealed struct {
	Sequence int    // consecutive, from 1; 0 until the entry is sealed
	Event    int    // its sequence among the events; 0 if it is not an event
	Digest   []byte // keyed, computed in the transaction of the act; empty in older entries
	Entry
}

// Versions of the encodings, the first byte of a content or a record. An encoding never changes,
// because every earlier digest and hash depends on it. An entry whose actor has an ID uses version
// 3, which ends with the bank and that ID; any other entry of a bank uses version 2, which ends
// with the bank; all others use version 1.
const (
	contentVersion        = 1
	contentOfBankVersion  = 2
	contentOfActorVersion = 3
	recordVersion         = 1
)

// AppendContent appends the digested content of an entry: every field in a fixed order. A number
// takes 8 bytes, big-endian; a string follows its length, which takes 4 bytes.
func (e Entry) AppendContent(to []byte) []byte {
	version := byte(contentVersion)
	switch {
	case e.Actor.ID != 0:
		version = contentOfActorVersion
	case e.BankID != 0:
		version = contentOfBankVersion
	}
	to = append(to, version)
	to = appendNumber(to, e.At.UnixMilli())
	for _, text := range []string{
		string(e.Kind), e.Name, e.Address, e.RequestID, e.Reason, e.Act,
	} {
		to = appendText(to, text)
	}
	to = appendNumber(to, int64(e.ProgramID))
	to = appendNumber(to, int64(e.CustomerID))
	for _, text := range []string{
		string(e.Subject.Kind), e.Subject.ID, e.Outcome, e.Before, e.After,
	} {
		to = appendText(to, text)
	}
	if version != contentVersion {
		to = appendNumber(to, int64(e.BankID))
	}
	if version == contentOfActorVersion {
		to = appendNumber(to, int64(e.Actor.ID))
	}
	return to
}

// AppendRecord appends the hashed record of a sealed entry: its position, digest and content.
func (s Sealed) AppendRecord(to []byte) []byte {
	to = append(to, recordVersion)
	to = appendNumber(to, int64(s.Sequence))
	to = appendNumber(to, int64(s.Event))
	to = appendText(to, s.Digest)
	return s.AppendContent(to)
}

func appendNumber(to []byte, number int64) []byte {
	return binary.BigEndian.AppendUint64(to, uint64(number))
}

func appendText[T string | []byte](to []byte, text T) []byte {
	to = binary.BigEndian.AppendUint32(to, uint32(len(text)))
	return append(to, text...)
}

// Clean returns the entry with strings that JSON and every database can hold: it replaces bytes
// that are not UTF-8. Entries are stored clean, so that every reader digests the same bytes.
func (e Entry) Clean() Entry {
	for _, text := range []*string{
		&e.Name, &e.Address, &e.RequestID, &e.Reason, &e.Act, &e.Subject.ID, &e.Outcome,
		&e.Before, &e.After,
	} {
		*text = strings.ToValidUTF8(*text, "\uFFFD")
	}
	return e
}
