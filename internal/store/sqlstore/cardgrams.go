package sqlstore

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"mintmark/internal/store/sqlstore/db"
)

// The index of n-grams is a bit-sliced signature file. Each sequence of two and of four bytes in
// the texts of a block is hashed to a slice: a bit for each of the 64 blocks of a segment, which is
// set if the block may contain the sequence. A row holds the slices of one part of the hashes, and
// fits into a page of the embedded database.
const (
	gramParts  = 64
	partSlices = 500
	sliceBytes = 8
	maxGrams   = 16 // that a search looks up
)

var gramSizes = []int{4, 2}

// gramIndex holds for each segment the blocks that may contain a text.
type gramIndex map[int]uint64

// mayHold reports whether a block may contain the text. It is true for a block without a number,
// which the previous version has packed.
func (x gramIndex) mayHold(number int) bool {
	blocks, ok := x[number/64]
	return number == 0 || !ok || blocks>>(number%64)&1 == 1
}

// eachGram calls a function with the part and the slice of each n-gram. It skips n-grams with a
// separator, which no search text contains.
func eachGram(text []byte, size int, do func(part, slice int)) {
	for i := range len(text) - size + 1 {
		gram := uint32(0)
		for _, letter := range text[i : i+size] {
			gram = gram<<8 | uint32(letter)
		}
		if !bytes.ContainsAny(text[i:i+size], "\t\n") {
			hash := int(uint64(gram*0x9E3779B1) * gramParts * partSlices >> 32)
			do(hash/partSlices, hash%partSlices)
		}
	}
}

const listSlices = `SELECT segment, SUBSTR(slices, $2, $3) FROM card_grams WHERE part = $1`

// indexFor reads the index for a search text.
func indexFor(s db.Session, needle []byte) (gramIndex, error) {
	index := make(gramIndex)
	var queries []db.Query
	at := slices.IndexFunc(gramSizes, func(size int) bool { return size <= len(needle) })
	if at < 0 {
		return index, nil
	}
	size := gramSizes[at]
	eachGram(needle[:min(len(needle), maxGrams+size-1)], size, func(part, slice int) {
		args := []any{part, slice*sliceBytes + 1, sliceBytes}
		queries = append(queries, db.Query{
			Text: listSlices, Args: args, Each: func(row db.Scan) error {
				segment, bits := 0, []byte(nil)
				err := row(&segment, &bits)
				blocks, ok := index[segment]
				if !ok {
					blocks = math.MaxUint64
				}
				if len(bits) == sliceBytes {
					index[segment] = blocks & binary.LittleEndian.Uint64(bits)
				}
				return err
			},
		})
	})
	return index, s.Query(queries...)
}

const (
	listParts = `SELECT part, slices FROM card_grams WHERE segment = $1`
	putPart   = `INSERT INTO card_grams (part, segment, slices) VALUES ($1, $2, $3)
		ON CONFLICT (part, segment) DO UPDATE SET slices = excluded.slices`
)

// putGrams stores the n-grams of a block in the index, replacing those that it had.
func putGrams(s db.Session, b packedBlock) error {
	var parts [gramParts][partSlices * sliceBytes]byte
	segment, at, bit := b.number/64, b.number%64/8, byte(1)<<(b.number%8)
	err := s.Query(db.Query{Text: listParts, Args: []any{segment}, Each: func(row db.Scan) error {
		part, stored := 0, []byte(nil)
		err := row(&part, &stored)
		copy(parts[part][:], stored)
		return err
	}})
	if err != nil {
		return err
	}
	for part := range parts {
		for slice := range partSlices {
			parts[part][slice*sliceBytes+at] &^= bit
		}
	}
	for _, size := range gramSizes {
		eachGram(b.text, size, func(part, slice int) {
			parts[part][slice*sliceBytes+at] |= bit
		})
	}
	for part := range parts {
		if err := s.Write(putPart, part, segment, parts[part][:]); err != nil {
			return err
		}
	}
	return nil
}
