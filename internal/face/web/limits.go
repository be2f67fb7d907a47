package web

import (
	"time"

	"mintmark/internal/face/jsonbody"
)

// Limits that hold where the settings name no others.
const (
	DefaultBodyBytes     = jsonbody.MaxBytes
	DefaultBodyTimeout   = 15 * time.Second // for a body to arrive
	DefaultAnswerTimeout = 30 * time.Second // for an answer to be made
)
