package standin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/processor/message"
	"mintmark/internal/processor/simulator"
)

// event is an event at the processor: a line of its journal. One member is set. Secrets stay
// encrypted in it as they arrived.
type event struct {
	At        time.Time      `json:"at"`
	Begun     *begun         `json:"begun,omitempty"`
	Order     *message.Order `json:"order,omitempty"`
	Orders    *ordersFile    `json:"orders,omitempty"`    // a file was taken
	Say       *say           `json:"say,omitempty"`       // a command
	Mode      simulator.Mode `json:"mode,omitempty"`      // a command
	Deviate   *deviation     `json:"deviate,omitempty"`   // a command
	Batch     *batch         `json:"batch,omitempty"`     // content of the next file of reports
	Written   int            `json:"written,omitempty"`   // number of that file
	Delivered []delivered    `json:"delivered,omitempty"` // over HTTP
}

// begun is the first event.
type begun struct {
	Name string         `json:"name"`
	Mode simulator.Mode `json:"mode"`
}

// ordersFile is a file of orders.
type ordersFile struct {
	Sequence int             `json:"sequence"`
	Orders   []message.Order `json:"orders"`
}

// say is the command to report something.
type say struct {
	CardID int              `json:"cardId"`
	Kind   order.ReportKind `json:"kind"`
	Reason string           `json:"reason,omitempty"`
}

// batch is a file of reports.
type batch struct {
	Sequence int      `json:"sequence"`
	IDs      []string `json:"ids"`
}

// delivered is the result of a report that Mintmark has received.
type delivered struct {
	order.ReportResult
}

// journalFile is the file of a processor's events.
const journalFile = "journal.jsonl"

// journal stores events, either nowhere or in a file from which they are replayed after a crash.
type journal struct{ file *os.File }

// openJournal opens the journal and returns its events. It cuts off a line without an end: the
// process was killed while it wrote that line, before it responded.
func openJournal(dir string) (*journal, []event, error) {
	if dir == "" {
		return &journal{}, nil, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, journalFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	events, whole, err := readJournal(file.Name())
	if err == nil {
		err = file.Truncate(whole)
	}
	if err == nil {
		_, err = file.Seek(whole, 0)
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return &journal{file: file}, events, nil
}

func readJournal(name string) (events []event, whole int64, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, 0, err
	}
	for {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		if !ended {
			return events, whole, nil
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, 0, fmt.Errorf("line %d of the journal: %w", len(events)+1, err)
		}
		events, whole, text = append(events, e), whole+int64(len(line))+1, rest
	}
}

// add appends an event to the file and syncs it.
func (j *journal) add(e event) error {
	if j.file == nil {
		return nil
	}
	line, err := json.Marshal(e)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if err == nil {
		err = j.file.Sync()
	}
	return err
}

func (j *journal) close() error {
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}
