package admin

// CardImport tells what came of a file of cards that were made elsewhere.
type CardImport struct {
	Source    string `json:"source"`
	ProgramID int    `json:"programId"`
	Sequence  int    `json:"sequence"`
	Digest    string `json:"sha256"`
	Cards     int    `json:"cards"` // that were brought in, by this request alone

	// Repeated says that the same file was applied before, and that nothing was done.
	Repeated bool `json:"repeated"`
	// After is the line behind which the file went on, because an earlier request had broken off.
	After int `json:"after,omitempty"`
}
