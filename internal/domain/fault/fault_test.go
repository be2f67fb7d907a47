package fault

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMessage(t *testing.T) {
	tests := []struct {
		name  string
		fault *Fault
		want  string
	}{
		{"no blank", New(VerifyMismatch), "Provided values do not match those on file."},
		{"one blank", New(CustomerInvalid, 1001), "Customer id 1001 is invalid."},
		{"in order", New(AddAccountTied, 2001, 5001, 2),
			"AccountId 2001 is already tied to CardId 5001 with a priority of 2."},
		{"the blank is everything", New(BodySyntax, "Unexpected end."), "Unexpected end."},
		{"fewer arguments", New(AddAccountTied, 2001),
			"AccountId 2001 is already tied to CardId {cardId} with a priority of {priority}."},
		{"no arguments", New(TagUnknown), "No card exists with Tag={tag}."},
		{"more arguments", New(VerifyMismatch, 1), "Provided values do not match those on file."},
		// Values from the caller are printed verbatim, never parsed as a template.
		{"braces in a value", New(PrimaryAccountStatus, "{status}", "Closed"),
			"Primary AccountId {status} is in invalid status of Closed. " +
				"Must be Open or PendingOpen."},
		{"percent in a value", New(TagTaken, "100%d"),
			"Tag 100%d is already associated with another card."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.fault.Message(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestCutBlank(t *testing.T) {
	tests := []struct {
		template, before, after string
		found                   bool
	}{
		{"a {b} c {d}", "a ", " c {d}", true},
		{"{b}", "", "", true},
		{"none", "none", "", false},
		{"never {closed", "never {closed", "", false},
		{"closed} first", "closed} first", "", false},
	}
	for _, tt := range tests {
		before, after, ok := cutBlank(tt.template)
		if before != tt.before || after != tt.after || ok != tt.found {
			t.Errorf("cutBlank(%q) = %q, %q, %v", tt.template, before, after, ok)
		}
	}
}

func TestFaultShowsItsRow(t *testing.T) {
	f := New(RateExceeded)
	f.RetryAfter = 2 * time.Second
	if f.Code() != 50429 || f.HTTP() != 429 {
		t.Errorf("code %d, HTTP %d, want 50429 and 429", f.Code(), f.HTTP())
	}
	if got, want := f.Error(), "50429: Rate limit exceeded; wait and retry."; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

func TestIsComparesTheKind(t *testing.T) {
	wrapped := fmt.Errorf("lock: %w", New(CardAccess, 1001, 5001))
	if !errors.Is(wrapped, New(CardAccess)) {
		t.Error("a fault is not of its own kind when its blanks are filled")
	}
	if errors.Is(wrapped, New(GetCardInvalid)) || errors.Is(wrapped, io.EOF) {
		t.Error("a fault is taken for something else")
	}
	// Both are 150801, but they are different faults.
	if errors.Is(New(HotlistReason), New(ReprioritizeCardInvalid)) {
		t.Error("the two faults of one code are taken for each other")
	}
}

func TestListIsAnErrorOnlyWhenItHoldsOne(t *testing.T) {
	var list List
	if err := list.Err(); err != nil {
		t.Fatalf("an empty list is the error %v", err)
	}
	list.Add(PhoneRequired, 1008)
	list.Add(AddressRequired, 1008)
	err := list.Err()
	want := "150231: The primary customer 1008 must have its Mobile or Home phone specified " +
		"prior to creating a card.; 150232: The primary customer 1008 must have its Mailing or " +
		"Residence address specified prior to creating a card."
	if err.Error() != want {
		t.Errorf("Error() = %q, want %q", err, want)
	}
	for _, kind := range []Kind{PhoneRequired, AddressRequired} {
		if !errors.Is(err, New(kind)) {
			t.Errorf("the list does not show its fault %v", New(kind))
		}
	}
	if errors.Is(err, New(TagTaken)) {
		t.Error("the list shows a fault that it does not hold")
	}
	var first *Fault
	if !errors.As(err, &first) || first.Kind != PhoneRequired {
		t.Errorf("errors.As found %v, want the first fault", first)
	}
}

func TestAll(t *testing.T) {
	fault := New(TagUnknown, "blue")
	list := List{New(NamesRequired), New(VendorTypeCodeInvalid, "AX")}
	tests := []struct {
		name string
		err  error
		want List
	}{
		{"nothing", nil, nil},
		{"no fault", io.EOF, nil},
		{"one", fault, List{fault}},
		{"one, wrapped", fmt.Errorf("find: %w", fault), List{fault}},
		{"several", list.Err(), list},
		{"several, wrapped", fmt.Errorf("shape: %w", list.Err()), list},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, All(tt.err)); diff != "" {
				t.Errorf("All (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTransient checks which responses may change later. The first of several faults decides, as it
// does for the HTTP status.
func TestTransient(t *testing.T) {
	t.Parallel()
	for _, e := range Entries() {
		later := e.HTTP == 401 || e.HTTP == 403 || e.HTTP == 429 || e.HTTP >= 500
		if got := Transient(fmt.Errorf("act: %w", New(e.Kind))); got != later {
			t.Errorf("%d is transient: %v, want %v", e.Code, got, later)
		}
	}
	if !Transient(io.EOF) {
		t.Error("an error that nobody classified is not transient")
	}
	if Transient(List{New(NamesRequired), New(Unavailable)}) {
		t.Error("the second fault of a list decides")
	}
}
