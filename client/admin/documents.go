package admin

import "time"

// NewDocument asks for a draft of a document. Until it is published, HTML and dates may be missing.
type NewDocument struct {
	Culture       string     `json:"culture"`
	DocumentType  string     `json:"documentType"`
	Title         string     `json:"title"`
	HTML          string     `json:"html,omitempty"`
	EffectiveDate *time.Time `json:"effectiveDate,omitempty"`
	ExpireDate    *time.Time `json:"expireDate,omitempty"`
	Reason        string     `json:"reason,omitempty"`
}

// PublishDocument publishes a draft. Without a moment it becomes effective at its own, or at once.
type PublishDocument struct {
	EffectiveDate *time.Time `json:"effectiveDate,omitempty"`
	Reason        string     `json:"reason,omitempty"`
}

// DocumentPreview is the HTML form of a document as it may be shown in a page.
type DocumentPreview struct {
	HTML string `json:"html"`
	Less bool   `json:"less"` // something was taken out, such as a script, a style or a picture
}
