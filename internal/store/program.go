package store

import (
	"time"

	"mintmark/internal/domain/program"
)

// Banks are the banks that issue cards through programs, and their encryption keys.
type Banks interface {
	// List returns all banks by their number.
	List() ([]Bank, error)
	// ListPciKeys returns the encryption keys of all banks.
	ListPciKeys() ([]program.PciKey, error)
	// Put and PutPciKey insert, or replace the revision that was read.
	Put(b Bank) error
	PutPciKey(k program.PciKey) error
}

// Bank is a bank that issues cards through programs.
type Bank struct {
	ID   int
	Name string

	Revision int // of the stored row; 0 when it is new
}

// Programs are the programs with their settings and BINs.
type Programs interface {
	// Find returns a program with its BINs in the order of their numbers and the encryption keys of
	// its bank.
	Find(programID int) (program.Program, error)
	// FindIssuing is Find without the settings, which cost more to read than the rest.
	FindIssuing(programID int) (program.Issuing, error)
	// List returns the numbers of all programs.
	List() ([]int, error)
	// ListNames returns what a page says of each program, by their numbers.
	ListNames() ([]ProgramName, error)
	// Put inserts a program, or replaces the revision that was read, without its BINs and
	// encryption keys: PutBin and Banks.PutPciKey store those.
	Put(p program.Program) error
	// PutBin inserts a BIN, or replaces the revision that was read.
	PutBin(b program.Bin) error
	// PutFence fences a program since a moment, or lifts its fence for the zero time. It counts as a
	// change of the program, and of the keys: nodes read both anew.
	PutFence(programID int, since time.Time) error
	// ListFenced returns the numbers of the programs that are fenced.
	ListFenced() ([]int, error)
}

// ProgramName is what a page says of a program that it is not about.
type ProgramName struct {
	ID, BankID     int
	Name, TimeZone string
	FourEyes       bool
}
