package audit

import (
	"encoding/binary"
	"strings"
)

// Sealed is an entry in its place in the sealed log.
type Sealed struct {
	Sequence int    // dense, from 1; 0 until it is sealed
	Event    int    // its sequence among the events; 0 for what is no event
	Digest   []byte // keyed, made in the transaction of the act; empty in older entries
	Entry
}

// The first byte of a content and of a record says how the rest is written. No way of writing is
// ever changed, because every digest and hash ever made rests on it. An entry of an actor with a
// number is written in the third way, which ends with the bank and that number; another one of a
// bank in the second, which ends with the bank; every other one in the first.
const (
	contentVersion        = 1
	contentOfBankVersion  = 2
	contentOfActorVersion = 3
	recordVersion         = 1
)

// AppendContent appends what is digested of an entry: every field in a fixed order. Numbers have 8
// bytes, big-endian; a text stands behind its length in 4 bytes.
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

// AppendRecord appends what is hashed of a sealed entry: its place, its digest and its content.
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

// Clean returns the entry with texts that JSON and every database can hold: bytes that are no UTF-8
// are replaced. An entry is kept clean, so that whoever reads it digests the same bytes.
func (e Entry) Clean() Entry {
	for _, text := range []*string{
		&e.Name, &e.Address, &e.RequestID, &e.Reason, &e.Act, &e.Subject.ID, &e.Outcome,
		&e.Before, &e.After,
	} {
		*text = strings.ToValidUTF8(*text, "\uFFFD")
	}
	return e
}
