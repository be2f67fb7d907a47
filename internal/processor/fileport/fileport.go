// Package fileport sends orders to a card processor in files, and receives its reports in files.
// Files are numbered without gaps. The store holds the numbers, and the content of a file until it
// is written: a process that is killed between any two steps loses no file, and rewrites a partly
// written file byte for byte. Package message owns the lines.
package fileport

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
	"mintmark/internal/processor/folder"
	"mintmark/internal/processor/message"
	"mintmark/internal/store"
)

// Settings configures the folder for files and the keys to which orders are encrypted.
type Settings struct {
	Folder string // contains out, in, done and bad
	JWKS   string // file with the public keys of the processor
}

// Store stores the numbers of files.
type Store interface {
	View(ctx context.Context, fn func(store.Tx) error) error
	Update(ctx context.Context, fn func(store.Tx) error) error
}

// Acts are the acts of package issuing that follow from what the processor does with files.
type Acts interface {
	// UnfetchedFiles returns the numbers of the files of orders that the processor is not known to
	// have fetched.
	UnfetchedFiles(ctx context.Context) ([]int, error)
	// FileFetched settles the orders of a file that the processor has fetched.
	FileFetched(ctx context.Context, number int) error
	// ApplyReports applies the reports of a list. It skips reports that were applied before.
	ApplyReports(ctx context.Context, reports []order.Report) ([]order.ReportResult, error)
	// CheckReports returns the reports of a list that were not applied before, or a fault if the
	// list cannot be applied.
	CheckReports(ctx context.Context, reports []order.Report) (
		fresh []order.Report, fault string, err error)
}

// Port exchanges files. Its methods are safe for concurrent use, also by several nodes with the
// same database and folder.
type Port struct {
	folder *folder.Folder
	store  Store
	log    *slog.Logger
	now    func() time.Time // wall time, for Rest
	keys   atomic.Pointer[message.Keys]

	checked atomic.Pointer[fs.FileInfo] // the folder when its marker was last valid

	queue   queue
	writing sync.Mutex // one file at a time

	collecting sync.Mutex
	seen       map[string]observation // files in in/ that could not be processed yet
}

var _ processor.Port = (*Port)(nil)

// Open returns a port to the folder in the settings.
func Open(ctx context.Context, s Settings, kept Store, log *slog.Logger) (*Port, error) {
	if err := mark(ctx, s.Folder, kept); err != nil {
		return nil, fmt.Errorf("the folder of the card processor: %w", err)
	}
	opened, err := folder.Open(s.Folder, time.Now())
	if err != nil {
		return nil, err
	}
	p := &Port{folder: opened, store: kept, log: log, now: time.Now, seen: map[string]observation{}}
	if err := p.Reload(s); err != nil {
		return nil, err
	}
	return p, nil
}

// Reload reads the keys again. After an error the previous keys stay in use. The folder does not
// change.
func (p *Port) Reload(s Settings) error {
	keys, err := message.ReadKeys(s.JWKS)
	if err != nil {
		return err
	}
	p.keys.Store(keys)
	return nil
}

// KeyName returns the kid of the key to which orders are encrypted.
func (p *Port) KeyName() string { return p.keys.Load().Name() }

// submitAll writes a file of orders and accepts them: the processor has them once it fetches the
// file. It first writes the files that an earlier call could not write, so that while the folder is
// not writable only one file waits, not one for each call. An order in such a file is not written
// again.
func (p *Port) submitAll(
	ctx context.Context, all []processor.Message,
) ([]processor.Answer, error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	if err := p.check(ctx); err != nil {
		return nil, err
	}
	written, err := p.writeKept(ctx)
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	keys := p.keys.Load()
	for _, m := range all {
		if written[m.OrderID] != 0 {
			continue
		}
		line, err := message.Encode(m, keys)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	if len(lines) > 0 {
		if err := p.keep(ctx, lines); err != nil {
			return nil, err
		}
		more, err := p.writeKept(ctx)
		if err != nil {
			return nil, err
		}
		maps.Copy(written, more)
	}
	answers := make([]processor.Answer, len(all))
	for i, m := range all {
		answers[i] = processor.Answer{Outcome: processor.Accepted, File: written[m.OrderID]}
	}
	return answers, nil
}

// rememberedFiles is the number of files that the store retains to recognize a repeated one.
// numberTries is the number of attempts to claim a number while other nodes claim the same one.
const (
	rememberedFiles = 10_000
	numberTries     = 5
)

// keep stores the content of a file under the next number.
func (p *Port) keep(ctx context.Context, lines [][]byte) error {
	newest, err := p.newest()
	if err != nil {
		return fmt.Errorf("%w: %w", processor.ErrUnreachable, err)
	}
	for range numberTries {
		err = p.store.Update(ctx, func(tx store.Tx) error {
			last, err := tx.Files().FindLast(store.OrderFiles)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			next := store.File{
				Direction: store.OrderFiles, Sequence: max(last.Sequence, newest) + 1, Count: len(lines),
				Created: tx.Now(),
			}
			next.Text, next.Digest, err = message.EncodeFile(next.Sequence, lines)
			if err != nil {
				return err
			}
			return errors.Join(tx.Files().Put(next),
				tx.Files().DeleteBefore(store.OrderFiles, next.Sequence-rememberedFiles))
		})
		if !errors.Is(err, store.ErrExists) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("store order file: %w", err)
	}
	return p.folder.Step("kept")
}

// maxUnwritten limits the number of files that a call writes.
const maxUnwritten = 100

// writeKept writes the stored files in the order of their numbers, and returns the file number of
// each order in them. A file that a killed process has already written is overwritten with the same
// bytes.
func (p *Port) writeKept(ctx context.Context) (map[string]int, error) {
	unwritten, err := store.ViewOf(ctx, p.store, func(tx store.Tx) ([]store.File, error) {
		return tx.Files().ListUnwritten(maxUnwritten)
	})
	if err != nil {
		return nil, fmt.Errorf("list unwritten order files: %w", err)
	}
	written := map[string]int{}
	for _, file := range unwritten {
		name := message.FileName(message.OrderFiles, file.Sequence)
		if err := p.note(file.Sequence); err != nil {
			return nil, fmt.Errorf("%w: %w", processor.ErrUnreachable, err)
		}
		if err := p.folder.Write(folder.Out, name, file.Text); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", processor.ErrUnreachable, name, err)
		}
		if err := p.folder.Step("written"); err != nil {
			return nil, err
		}
		if err := noteOrders(file.Text, written); err != nil {
			return nil, err
		}
		err := p.store.Update(ctx, func(tx store.Tx) error {
			done := file
			done.Text, done.Ended = nil, tx.Now()
			return tx.Files().Change(done)
		})
		if err != nil {
			return nil, fmt.Errorf("record %s as written: %w", name, err)
		}
		p.log.InfoContext(ctx, "orders written", "file", name, "count", file.Count)
	}
	return written, nil
}

// noteOrders adds the orders of a file to a map, with the number of the file.
func noteOrders(text []byte, into map[string]int) error {
	file, err := message.DecodeFile(text)
	if err != nil {
		return fmt.Errorf("read stored order file: %w", err)
	}
	for _, line := range file.Lines {
		body, err := message.DecodeOrder(line)
		if err != nil {
			return err
		}
		into[body.OrderID] = file.Sequence
	}
	return nil
}
