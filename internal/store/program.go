package store

import (
	"time"

	"mintmark/internal/domain/program"
)

// Banks are the banks that issue cards through programs, and their encryption keys.
type Banks interface {
	// List returns all banks by ID.
	List() ([]Bank, error)
	// ListPciKeys returns the encryption keys of all banks.
	ListPciKeys() ([]program.PciKey, error)
	// Put and PutPciKey insert a row, or replace the revision that was read.
	Put(b Bank) error
	PutPciKey(k program.PciKey) error
}

// Bank is a bank that issues cards through programs.
type Bank struct {
	ID   int
	Name string

	Revision int // of the stored row; 0 for a new one
}

// Programs are the programs with their settings and BINs.
type Programs interface {
	// Find returns a program with its BINs, in order of their numbers, and the encryption keys of
	// its bank.
	Find(programID int) (program.Program, error)
	// FindIssuing is Find without the settings, which cost more to read than the rest.
	FindIssuing(programID int) (program.Issuing, error)
	// List returns the IDs of all programs.
	List() ([]int, error)
	// ListNames returns the names of all programs, by ID.
	ListNames() ([]ProgramName, error)
	// Put inserts a program, or replaces the revision that was read. It does not store the BINs and
	// encryption keys: PutBin and Banks.PutPciKey do.
	Put(p program.Program) error
	// PutBin inserts a BIN, or replaces the revision that was read.
	PutBin(b program.Bin) error
	// PutFence fences a program since a time; the zero time lifts the fence. It counts as a change
	// of the program and of its keys, so that nodes reload both.
	PutFence(programID int, since time.Time) error
	// ListFenced returns the IDs of the fenced programs.
	ListFenced() ([]int, error)
}

// ProgramName is what pages show of a program when they are about something else.
type ProgramName struct {
	ID, BankID     int
	Name, TimeZone string
	DecimalCount   int
	FourEyes       bool
}
