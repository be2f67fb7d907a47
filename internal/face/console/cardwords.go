package console

import (
	"fmt"
	"strings"

	wire "mintmark/client/admin"
)

// locked reports whether a card is barred from use.
func locked(card wire.Card) bool {
	return card.LockTypeCode != "" && card.LockTypeCode != "UNL"
}

// lockTone is warn for a lock that the customer can clear, bad for any other.
func lockTone(card wire.Card) string {
	permanent := strings.Contains("LST STL FRD", card.LockReasonTypeCode)
	if card.LockTypeCode == "SYS" || permanent {
		return "bad"
	}
	return "warn"
}

// lastFour is the end of a masked number, empty where no digit is shown.
func lastFour(card wire.Card) string {
	const shown = 4
	masked := card.NumberMasked
	if len(masked) < shown || strings.Trim(masked[len(masked)-shown:], "0123456789") != "" {
		return ""
	}
	return masked[len(masked)-shown:]
}

// expiry is until when a card is valid, as it stands on the card.
func expiry(card wire.Card) string {
	if card.ExpireMonth == 0 {
		return ""
	}
	return fmt.Sprintf("%02d/%02d", card.ExpireMonth, card.ExpireYear%100)
}

// actText names an act on a card.
func actText(name string) string {
	return map[string]string{
		"lock": "Lock", "unlock": "Clear the lock", "reissue": "Reissue", "archive": "Archive",
	}[name]
}

// actButton is what leads to the page of an act.
func actButton(name string) string {
	return map[string]string{
		"lock": "Lock", "unlock": "Clear", "reissue": "Reissue", "archive": "Archive",
	}[name]
}

// actEffect says in a sentence what an act does.
func actEffect(name string) string {
	return map[string]string{
		"lock":    "Every transaction is declined. FRD, LST and STL are permanent.",
		"unlock":  "The card can pay again at once.",
		"reissue": "New plastic, or another number if the card is lost, stolen or misused.",
		"archive": "Ends the card. Cannot be undone.",
	}[name]
}
