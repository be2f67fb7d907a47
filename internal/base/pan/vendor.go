package pan

// The vendors of cards, by the codes of the interface.
const (
	Visa       = "VS"
	Mastercard = "MC"
)

// Vendors lists the vendors of cards.
var Vendors = []string{Visa, Mastercard}

// BodyDigits is the length of a number without its check digit.
const BodyDigits = Length - 1

// CheckVendor returns the reason why a number without its check digit does not belong to the
// vendor, or an empty string if it does.
func CheckVendor(vendor, body string) string {
	_, err := parseBody(body)
	switch {
	case err != nil:
		return err.Error()
	case vendor == Visa && body[0] != '4':
		return "a Visa number begins with 4"
	case vendor == Mastercard && !isMastercard(body):
		return "a Mastercard number begins with 51 to 55 or 2221 to 2720"
	}
	return ""
}

func isMastercard(body string) bool {
	return body[:2] >= "51" && body[:2] <= "55" || body[:4] >= "2221" && body[:4] <= "2720"
}
