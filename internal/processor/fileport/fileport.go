// Package fileport carries orders to a card processor in files, and takes its reports from files.
// Files are numbered without gaps. The numbers, and the text of a file that is not written yet, are
// kept in the store: a process that is killed between any two steps loses no file, and writes
// again, byte for byte, what may be half written. Package message owns the lines.
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

// Settings say where files are exchanged, and with whose key orders are sealed.
type Settings struct {
	Folder string // holds out, in, done and bad
	JWKS   string // file with the public keys of the processor
}

// Store is what keeps the numbers of files.
type Store interface {
	View(ctx context.Context, fn func(store.Tx) error) error
	Update(ctx context.Context, fn func(store.Tx) error) error
}

// Acts are the acts of issuing that follow from what the processor does with files.
type Acts interface {
	// UnfetchedFiles returns the numbers of the files of orders that the processor has not fetched,
	// as far as is known.
	UnfetchedFiles(ctx context.Context) ([]int, error)
	// FileFetched settles the orders of a file that the processor has fetched.
	FileFetched(ctx context.Context, number int) error
	// ApplyReports applies the reports of a list. What was applied before is not applied again.
	ApplyReports(ctx context.Context, reports []order.Report) ([]order.ReportResult, error)
	// CheckReports returns those of a list that were not applied before, or why the list cannot be
	// applied.
	CheckReports(ctx context.Context, reports []order.Report) (
		fresh []order.Report, fault string, err error)
}

// Port exchanges files. Its methods may be called concurrently, and by several nodes on one
// database that share the folder.
type Port struct {
	folder *folder.Folder
	store  Store
	log    *slog.Logger
	now    func() time.Time // wall time, by which a file rests
	keys   atomic.Pointer[message.Keys]

	checked atomic.Pointer[fs.FileInfo] // the folder, when its marker was right

	queue   queue
	writing sync.Mutex // one file at a time

	collecting sync.Mutex
	seen       map[string]look // files in in/ that could not be taken
}

var _ processor.Port = (*Port)(nil)

// Open returns a port to the folder of the settings.
func Open(ctx context.Context, s Settings, kept Store, log *slog.Logger) (*Port, error) {
	if err := mark(ctx, s.Folder, kept); err != nil {
		return nil, fmt.Errorf("the folder of the card processor: %w", err)
	}
	opened, err := folder.Open(s.Folder, time.Now())
	if err != nil {
		return nil, err
	}
	p := &Port{folder: opened, store: kept, log: log, now: time.Now, seen: map[string]look{}}
	if err := p.Reload(s); err != nil {
		return nil, err
	}
	return p, nil
}

// Reload reads the keys again. After an error the keys before stay in use. The folder stays.
func (p *Port) Reload(s Settings) error {
	keys, err := message.ReadKeys(s.JWKS)
	if err != nil {
		return err
	}
	p.keys.Store(keys)
	return nil
}

// KeyName is the kid of the key that orders are sealed to.
func (p *Port) KeyName() string { return p.keys.Load().Name() }

// submitAll writes a file of orders, which are accepted: the processor has them when it has fetched
// the file. Files that an earlier call could not write are written first: a folder that cannot be
// written to keeps one file waiting, not one for each call. An order that stands in such a file is
// not written again.
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

// How many files the store remembers, to recognize one that comes again, and how often a number is
// asked for that another node takes at the same moment.
const (
	rememberedFiles = 10_000
	numberTries     = 5
)

// keep stores the text of a file under the next number.
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
		return fmt.Errorf("keep a file of orders: %w", err)
	}
	return p.folder.Step("kept")
}

// maxUnwritten bounds how many files are written by one call.
const maxUnwritten = 100

// writeKept writes the files whose text is kept, in the order of their numbers, and returns the
// number of the file of each order in them. A file may be there already, written by a process that
// was killed before it could say so: the same bytes take its place.
func (p *Port) writeKept(ctx context.Context) (map[string]int, error) {
	unwritten, err := store.ViewOf(ctx, p.store, func(tx store.Tx) ([]store.File, error) {
		return tx.Files().ListUnwritten(maxUnwritten)
	})
	if err != nil {
		return nil, fmt.Errorf("look for files of orders: %w", err)
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
			return nil, fmt.Errorf("%s is written: %w", name, err)
		}
		p.log.InfoContext(ctx, "orders written", "file", name, "count", file.Count)
	}
	return written, nil
}

// noteOrders adds the orders of a file, with its number.
func noteOrders(text []byte, into map[string]int) error {
	file, err := message.DecodeFile(text)
	if err != nil {
		return fmt.Errorf("read a kept file of orders: %w", err)
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
