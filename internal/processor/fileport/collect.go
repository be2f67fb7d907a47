package fileport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/processor/folder"
	"mintmark/internal/processor/message"
	"mintmark/internal/store"
)

// Rest is how long a file must stay unchanged before it is rejected as incomplete or out of
// sequence: it may still be in transit, or have arrived before its predecessor.
const Rest = 10 * time.Second

// observation is a state of a file in which it was seen.
type observation struct {
	size    int64
	changed time.Time // its modification time
	first   time.Time // when this state was first seen
}

// refusal is the reason why a file goes to bad/.
type refusal struct {
	why string // may have several lines
	// retryable is true if the problem may go away, so that the file is given some time.
	retryable bool
}

func (r *refusal) Error() string { return r.why }

// Collect settles the files of orders that are gone from out/, and processes the files of reports
// in in/ in the order of their numbers. It checks a file of reports as a whole and applies all of
// its reports or none. Then it moves the file to done/ or, with the reason in a .why file, to bad/.
// A file that was applied before, by a process that ended before it moved the file, is only moved.
func (p *Port) Collect(ctx context.Context, acts Acts) error {
	p.collecting.Lock()
	defer p.collecting.Unlock()
	if err := p.check(ctx); err != nil {
		return err
	}
	return errors.Join(p.noteFetched(ctx, acts), p.takeReports(ctx, acts))
}

// noteFetched settles the orders of the files that are gone from out/: the processor has fetched
// them. It reads the numbers before it lists the folder, because a file is written before its
// orders get its number.
func (p *Port) noteFetched(ctx context.Context, acts Acts) error {
	unfetched, err := acts.UnfetchedFiles(ctx)
	if err != nil || len(unfetched) == 0 {
		return err
	}
	there, err := p.numbers(folder.Out, message.OrderFiles)
	if err != nil {
		return fmt.Errorf("list fetched files: %w", err)
	}
	if err := p.check(ctx); err != nil {
		return err // the disk was unmounted meanwhile, and the list is of the mount point
	}
	for _, number := range unfetched {
		if _, ok := slices.BinarySearch(there, number); ok {
			continue
		}
		name := message.FileName(message.OrderFiles, number)
		if err := acts.FileFetched(ctx, number); err != nil {
			return fmt.Errorf("record %s as fetched: %w", name, err)
		}
		p.log.InfoContext(ctx, "orders fetched", "file", name)
	}
	return nil
}

func (p *Port) takeReports(ctx context.Context, apply Acts) error {
	numbers, err := p.numbers(folder.In, message.ReportFiles)
	if err != nil {
		return fmt.Errorf("collect reports: %w", err)
	}
	for _, number := range numbers {
		name := message.FileName(message.ReportFiles, number)
		err := p.take(ctx, name, number, apply)
		if refused := (*refusal)(nil); errors.As(err, &refused) {
			err = p.refuse(ctx, name, refused)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // another node may have moved it
			return fmt.Errorf("collect %s: %w", name, err)
		}
	}
	p.forget(numbers)
	return nil
}

// numbers returns the sorted numbers of the files of a kind in a part of the folder. Files with
// other names are still being written.
func (p *Port) numbers(part, kind string) ([]int, error) {
	entries, err := os.ReadDir(p.folder.Path(part, ""))
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, entry := range entries {
		if number, ours := message.FileNumber(kind, entry.Name()); ours &&
			entry.Type().IsRegular() {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// take applies a file and moves it to done/.
func (p *Port) take(ctx context.Context, name string, number int, apply Acts) error {
	file, err := p.read(name)
	if err != nil {
		return err
	}
	if file.Sequence != number {
		return &refusal{why: fmt.Sprintf("the first line says number %d", file.Sequence)}
	}
	applied, err := p.wasApplied(ctx, file)
	if err != nil {
		return err
	}
	if !applied {
		if err := p.apply(ctx, file, apply); err != nil {
			return err
		}
		p.log.InfoContext(ctx, "reports applied", "file", name, "count", len(file.Lines))
	}
	return p.folder.Move(name, folder.Done, name)
}

// read reads a file and checks it against its first line.
func (p *Port) read(name string) (message.File, error) {
	opened, err := os.Open(p.folder.Path(folder.In, name))
	if err != nil {
		return message.File{}, err
	}
	defer opened.Close()
	text, err := io.ReadAll(io.LimitReader(opened, message.MaxFileBytes+1))
	if err != nil {
		return message.File{}, err
	}
	if len(text) > message.MaxFileBytes {
		return message.File{}, &refusal{
			why: fmt.Sprintf("the file has more than %d bytes", message.MaxFileBytes),
		}
	}
	file, err := message.DecodeFile(text)
	if err != nil {
		return message.File{}, &refusal{err.Error(), errors.Is(err, message.ErrIncomplete)}
	}
	return file, nil
}

// wasApplied reports whether a file was applied before. It returns a refusal unless the file has
// the next number or is the same as before.
func (p *Port) wasApplied(ctx context.Context, file message.File) (bool, error) {
	var last, same store.File
	err := p.store.View(ctx, func(tx store.Tx) error {
		var err error
		last, err = tx.Files().FindLast(store.ReportFiles)
		if err == nil && file.Sequence <= last.Sequence {
			same, err = tx.Files().Find(store.ReportFiles, file.Sequence)
		}
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		return err
	})
	switch {
	case err != nil:
		return false, err
	case file.Sequence > last.Sequence+1:
		return false, &refusal{
			why: fmt.Sprintf("a gap: number %d was expected; send it, and then this one again",
				last.Sequence+1),
			retryable: true,
		}
	case file.Sequence == last.Sequence+1:
		return false, nil
	case same.Digest == file.Digest:
		return true, nil
	}
	return false, &refusal{why: fmt.Sprintf(
		"the number was used by another file; the next one is %d", last.Sequence+1)}
}

// apply applies the reports of a file and then stores its number. If the process is killed in
// between, the file is applied again, which changes nothing.
func (p *Port) apply(ctx context.Context, file message.File, apply Acts) error {
	reports := make([]order.Report, len(file.Lines))
	for i, line := range file.Lines {
		var err error
		reports[i], err = message.DecodeReport(line)
		if err != nil {
			return &refusal{why: fmt.Sprintf("line %d: %v", i+2, err)}
		}
	}
	fresh, fault, err := apply.CheckReports(ctx, reports)
	if err != nil {
		return err
	}
	if fault != "" {
		return &refusal{why: fault}
	}
	if _, err := apply.ApplyReports(ctx, fresh); err != nil {
		return err
	}
	if err := p.folder.Step("applied"); err != nil {
		return err
	}
	err = p.store.Update(ctx, func(tx store.Tx) error {
		err := tx.Files().Put(store.File{
			Direction: store.ReportFiles, Sequence: file.Sequence, Count: len(file.Lines),
			Digest: file.Digest, Created: tx.Now(), Ended: tx.Now(),
		})
		return errors.Join(err,
			tx.Files().DeleteBefore(store.ReportFiles, file.Sequence-rememberedFiles))
	})
	if errors.Is(err, store.ErrExists) {
		return nil // a node whose lease has expired did the same
	}
	return err
}
