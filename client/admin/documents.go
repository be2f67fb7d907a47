package admin

import "time"

// NewDocument creates a draft of a document. HTML and dates may be missing until it is published.
type NewDocument struct {
	Culture       string     `json:"culture"`
	DocumentType  string     `json:"documentType"`
	Title         string     `json:"title"`
	HTML          string     `json:"html,omitempty"`
	EffectiveDate *time.Time `json:"effectiveDate,omitempty"`
	ExpireDate    *time.Time `json:"expireDate,omitempty"`
	Reason        string     `json:"reason,omitempty"`
}

// PublishDocument publishes a draft. Without an EffectiveDate, that of the draft applies, or the
// document comes into force immediately.
type PublishDocument struct {
	EffectiveDate *time.Time `json:"effectiveDate,omitempty"`
	Reason        string     `json:"reason,omitempty"`
}

// DocumentPreview is the HTML of a document, safe to show in a page.
type DocumentPreview struct {
	HTML string `json:"html"`
	Less bool   `json:"less"` // something was removed, such as a script, a style or an image
}
