package load

import (
	"strconv"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/domain/program"
)

// binEntry names its program only when it is listed outside one.
type binEntry struct {
	BinID          int    `json:"binId"`
	ProgramID      int    `json:"programId"`
	VendorTypeCode string `json:"vendorTypeCode"`
	Description    string `json:"description"`
	IsActive       bool   `json:"isActive"`
	FirstBody      string `json:"firstBody"`
	LastBody       string `json:"lastBody"`
	ValidMonths    *int   `json:"validMonths"`
}

var binForm = form{
	title: "bins",
	says: "A range that card numbers are drawn from. It stands in the list bins of its " +
		"program, or in the file's own list bins.",

	members: map[string]string{
		"binId": "Number of the BIN.",
		"programId": "Program of the BIN. Needed where the BIN does not stand inside a " +
			"program.",
		"vendorTypeCode": "Card vendor.",
		"description":    "Text that callers read.",
		"isActive":       "Whether new cards are made from it; false when left out.",
		"firstBody": "First number of the range: " + strconv.Itoa(pan.BodyDigits) +
			" digits, a card number without its check digit. In quotes.",
		"lastBody": "Last number of the range, which belongs to it; " +
			strconv.Itoa(pan.BodyDigits) + " digits in quotes.",
		"validMonths": "For how many months its cards are valid; " +
			strconv.Itoa(program.DefaultValidMonths) + " when left out.",
	},
	rules:  problem.Describe(program.Bin{}),
	filled: []string{"programId", "validMonths"},
}

func entryOfBin(b program.Bin) binEntry {
	e := binEntry{
		BinID: b.ID, ProgramID: b.ProgramID, VendorTypeCode: b.Vendor,
		Description: b.Description, IsActive: b.IsActive,
		FirstBody: b.FirstBody, LastBody: b.LastBody,
	}
	if b.ID != 0 {
		e.ValidMonths = &b.ValidMonths
	}
	return e
}

func (e binEntry) bin() program.Bin {
	return program.Bin{
		ID: e.BinID, ProgramID: e.ProgramID, Vendor: e.VendorTypeCode,
		Description: e.Description, IsActive: e.IsActive,
		FirstBody: e.FirstBody, LastBody: e.LastBody,
		ValidMonths: orDefault(e.ValidMonths, program.DefaultValidMonths),
	}
}
