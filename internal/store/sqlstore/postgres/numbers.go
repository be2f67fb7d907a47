package postgres

import (
	"fmt"
	"sync"

	"mintmark/internal/store/sqlstore/db"
)

// blockSize is how many numbers a node takes from a sequence at a time: more than fit on a page of
// an index.
const blockSize = 1000

// numberBlocks hands out the numbers of sequences in blocks. Each running Update has its own block,
// so concurrent Updates insert into different pages of an index. On the same page they collide: the
// check of a foreign key reads the page into which the other Update inserts. An Update that runs
// alone always uses the first block, and its numbers ascend. The rest of a block is lost when the
// process ends.
type numberBlocks struct {
	mu     sync.Mutex
	blocks map[db.Serial][]*block
}

// block holds numbers of a sequence for one Update at a time.
type block struct {
	left []int
	used bool
}

// borrow returns the first block of a sequence that no Update uses, or a new one.
func (n *numberBlocks) borrow(of db.Serial) *block {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, b := range n.blocks[of] {
		if !b.used {
			b.used = true
			return b
		}
	}
	b := &block{used: true}
	n.blocks[of] = append(n.blocks[of], b)
	return b
}

// giveBack makes blocks available to other Updates.
func (n *numberBlocks) giveBack(blocks map[db.Serial]*block) {
	if len(blocks) == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, b := range blocks {
		b.used = false
	}
}

// Number returns a number from a block. Without blocks it returns 0, and the INSERT numbers the
// row.
func (s *session) Number(of db.Serial) (int, error) {
	if s.engine.numbers == nil {
		return 0, nil
	}
	b := s.blocks[of]
	if b == nil {
		b = s.engine.numbers.borrow(of)
		if s.blocks == nil {
			s.blocks = make(map[db.Serial]*block)
		}
		s.blocks[of] = b
	}
	if len(b.left) == 0 {
		if err := s.fill(b, of); err != nil {
			return 0, err
		}
	}
	number := b.left[0]
	b.left = b.left[1:]
	return number, nil
}

// fill takes numbers from the sequence. They are taken even if the transaction fails. Other nodes
// may take some in between.
func (s *session) fill(b *block, of db.Serial) error {
	var left []int
	err := s.Query(db.Rows(&left, func(row db.Scan) (number int, err error) {
		err = row(&number)
		return number, err
	}, fmt.Sprintf(`SELECT nextval('%s') FROM generate_series(1, %d)`, sequence(of), blockSize)))
	b.left = left
	return err
}

// sequence returns the name of the sequence of a column.
func sequence(of db.Serial) string { return of.Table + "_" + of.Column + "_seq" }

// takenNumber reports whether a unique index has found a row with a number of a block: a row that
// was inserted under a number of the caller's choice. It drops the rest of the block.
func (s *session) takenNumber(constraint string) bool {
	for of, b := range s.blocks {
		if constraint == of.Table+"_pkey" {
			b.left = nil
			return true
		}
	}
	return false
}
