package console

import (
	"fmt"
	"strings"

	wire "mintmark/client/admin"
)

// locked reports whether a card is locked.
func locked(card wire.Card) bool {
	return card.LockTypeCode != "" && card.LockTypeCode != "UNL"
}

// lockTone returns warn for a lock that the customer can clear, and bad for any other.
func lockTone(card wire.Card) string {
	permanent := strings.Contains("LST STL FRD", card.LockReasonTypeCode)
	if card.LockTypeCode == "SYS" || permanent {
		return "bad"
	}
	return "warn"
}

// lastFour returns the last four digits of the masked card number, or an empty string if they are
// masked too.
func lastFour(card wire.Card) string {
	const shown = 4
	masked := card.NumberMasked
	if len(masked) < shown || strings.Trim(masked[len(masked)-shown:], "0123456789") != "" {
		return ""
	}
	return masked[len(masked)-shown:]
}

// expiry returns the last month of validity, as printed on the card.
func expiry(card wire.Card) string {
	if card.ExpireMonth == 0 {
		return ""
	}
	return fmt.Sprintf("%02d/%02d", card.ExpireMonth, card.ExpireYear%100)
}

// actText returns the name of an act on a card.
func actText(name string) string {
	return map[string]string{
		"lock": "Lock", "unlock": "Clear the lock", "reissue": "Reissue", "archive": "Archive",
	}[name]
}

// actButton returns the label of the button that opens the page of an act.
func actButton(name string) string {
	return map[string]string{
		"lock": "Lock", "unlock": "Clear", "reissue": "Reissue", "archive": "Archive",
	}[name]
}

// actEffect returns the effect of an act in a sentence.
func actEffect(name string) string {
	return map[string]string{
		"lock":    "Every transaction is declined. FRD, LST and STL are permanent.",
		"unlock":  "The card can pay again immediately.",
		"reissue": "New plastic, or another number if the card is lost, stolen or misused.",
		"archive": "Ends the card. Cannot be undone.",
	}[name]
}
