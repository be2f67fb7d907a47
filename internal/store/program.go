package store

import "mintmark/internal/program"

// Banks are the banks that issue cards through programs, and their encryption keys.
type Banks interface {
	// List returns all banks by their number.
	List() ([]Bank, error)
	// ListPciKeys returns the encryption keys of all banks.
	ListPciKeys() ([]program.PciKey, error)
	// Put and PutPciKey insert, or replace what has the same number.
	Put(b Bank) error
	PutPciKey(k program.PciKey) error
}

// Bank is a bank that issues cards through programs.
type Bank struct {
	ID   int
	Name string
}

// Programs are the programs with their settings and BINs.
type Programs interface {
	// Find returns a program with its BINs in the order of their numbers and the encryption keys of
	// its bank.
	Find(programID int) (program.Program, error)
	// List returns the numbers of all programs.
	List() ([]int, error)
	// Put inserts or replaces a program without its BINs and encryption keys: PutBin and
	// Banks.PutPciKey store those.
	Put(p program.Program) error
	PutBin(b program.Bin) error
}
