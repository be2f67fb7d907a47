package order

import (
	"time"
)

// ReportKind is the kind of event that the processor reports about a card.
type ReportKind string

// The kinds of report.
const (
	Taken            ReportKind = "taken"            // the processor has received the order
	Shipped          ReportKind = "shipped"          // the card is on its way to the holder
	Delivered        ReportKind = "delivered"        // the card has arrived
	Returned         ReportKind = "returned"         // the card came back
	Refused          ReportKind = "refused"          // the card will not be made
	PinSet           ReportKind = "pinSet"           // the PIN was changed
	PinTriesExceeded ReportKind = "pinTriesExceeded" // locks the card: SYS/PIN
	Compromised      ReportKind = "compromised"      // locks the card permanently: SYS/FRD
)

// ReportKinds lists the kinds of report.
var ReportKinds = []ReportKind{
	Taken, Shipped, Delivered, Returned, Refused, PinSet, PinTriesExceeded, Compromised,
}

// Report is a message from the processor about a card.
type Report struct {
	ID      string     `json:"reportId"`
	OrderID string     `json:"orderId,omitempty"` // the public ID; empty if it is about no order
	CardID  int        `json:"cardId"`
	Kind    ReportKind `json:"kind"`
	At      time.Time  `json:"at"`
	Reason  string     `json:"reason,omitempty"`
}

// Result is the result of processing a report.
type Result string

// The results of a report.
const (
	Applied  Result = "applied"
	Repeated Result = "repeated" // a report with this ID was received before
	Ignored  Result = "ignored"  // it contradicts the state of the card; it is stored for operators
)

// ReportResult is the response to a report.
type ReportResult struct {
	ReportID string `json:"reportId"`
	Result   Result `json:"result"`
	Reason   string `json:"reason,omitempty"`
}
