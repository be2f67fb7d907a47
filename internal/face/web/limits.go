package web

import (
	"time"

	"mintmark/internal/face/jsonbody"
)

// Limits that replace zero values in Settings.
const (
	DefaultBodyBytes     = jsonbody.MaxBytes
	DefaultBodyTimeout   = 15 * time.Second // to receive a body
	DefaultAnswerTimeout = 30 * time.Second // to produce an answer
)
