package standin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/processor/folder"
	"mintmark/internal/processor/message"
	"mintmark/internal/processor/simulator"
)

// exchangeEvery is the interval between exchanges of files.
const exchangeEvery = 100 * time.Millisecond

// exchangeOn takes files of orders and writes files of reports until the context ends.
func (p *Standin) exchangeOn(ctx context.Context) {
	for ctx.Err() == nil {
		err := p.takeFiles()
		if err == nil && len(p.ReportURLs) == 0 {
			err = p.writeReports()
		}
		if err != nil {
			p.Log.Warn("exchanging files failed", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(exchangeEvery):
		}
	}
}

// takeFiles takes the files of orders in the order of their numbers.
func (p *Standin) takeFiles() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.machine.Mode() == simulator.Down {
		return nil
	}
	entries, err := os.ReadDir(p.folder.Path(folder.Out, ""))
	if err != nil {
		return err
	}
	var numbers []int
	for _, entry := range entries {
		if number, ours := message.FileNumber(message.OrderFiles, entry.Name()); ours {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	for _, number := range numbers {
		if err := p.takeFile(number); err != nil {
			return err
		}
	}
	return nil
}

// takeFile takes a whole file. It records the number together with the orders, so that a repeated
// file is recognized.
func (p *Standin) takeFile(number int) error {
	name := message.FileName(message.OrderFiles, number)
	if number > p.took {
		text, err := os.ReadFile(p.folder.Path(folder.Out, name))
		if err != nil {
			return err
		}
		file, err := message.DecodeFile(text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if number != p.took+1 || file.Sequence != number {
			return fmt.Errorf("%s has number %d, want %d", name, file.Sequence, p.took+1)
		}
		taken := ordersFile{Sequence: number}
		for _, line := range file.Lines {
			body, err := message.DecodeOrder(line)
			if err == nil {
				_, err = p.open(body)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			taken.Orders = append(taken.Orders, body)
		}
		if _, err := p.record(event{Orders: &taken}); err != nil {
			return err
		}
	}
	return p.folder.Remove(folder.Out, name)
}

// writeReports writes a file of the waiting reports. It first decides and records the content:
// after a crash the process writes the same file again.
func (p *Standin) writeReports() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting := p.machine.Waiting()
	if p.decided == nil {
		if len(waiting) == 0 || p.machine.Mode() == simulator.Down {
			return nil
		}
		next := batch{Sequence: p.wrote + 1}
		for _, report := range waiting {
			next.IDs = append(next.IDs, report.ID)
		}
		if _, err := p.record(event{Batch: &next}); err != nil {
			return err
		}
	}
	var lines [][]byte
	for _, id := range p.decided.IDs {
		i := slices.IndexFunc(waiting, func(r order.Report) bool { return r.ID == id })
		if i < 0 {
			return errors.New("a report for the next file is missing")
		}
		line, err := message.EncodeReport(waiting[i])
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	text, _, err := message.EncodeFile(p.decided.Sequence, lines)
	if err != nil {
		return err
	}
	name := message.FileName(message.ReportFiles, p.decided.Sequence)
	if err := p.folder.Write(folder.In, name, text); err != nil {
		return err
	}
	_, err = p.record(event{Written: p.decided.Sequence})
	return err
}
