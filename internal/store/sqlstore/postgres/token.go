package postgres

import (
	"crypto/rand"
	"encoding/binary"
)

// token is what a transaction writes last, so that it can be recognized. It begins with the time of
// its commit in milliseconds, like a UUID of version 7: old tokens lie side by side. The rest is
// drawn anew for each try. See docs/decisions/0003-commit-tokens.md.
type token [16]byte

const tokenTime = 6 // bytes

func newToken(at int64) token {
	made := oldestToken(at)
	_, _ = rand.Read(made[tokenTime:]) // it never fails
	return made
}

// oldestToken is not above any token of a time.
func oldestToken(at int64) token {
	var first [8]byte
	binary.BigEndian.PutUint64(first[:], uint64(max(0, at)))
	var made token
	copy(made[:tokenTime], first[8-tokenTime:])
	return made
}

// at is the time with which a token begins.
func (t token) at() int64 {
	var first [8]byte
	copy(first[8-tokenTime:], t[:tokenTime])
	return int64(binary.BigEndian.Uint64(first[:]))
}

// keepToken is the last statement of an Update.
const keepToken = `INSERT INTO commit_tokens (token, settled) VALUES ($1, FALSE)`
