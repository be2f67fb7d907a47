package doctor

import (
	"fmt"
	"time"

	"mintmark/internal/store/sqlstore/inspect"
)

// resealSlack is the maximum time without a batch while anything waits to be re-encrypted. The job
// runs every 10 seconds, and checks once an hour for data still under the installation's keyset.
const resealSlack = 2 * time.Hour

// bankKeys checks for data encrypted under keys that others may know, and for a re-encryption that
// makes no progress.
func (r *Report) bankKeys(p Installation, resealing inspect.Resealing) {
	var known []string
	for _, key := range resealing.Compromised {
		known = append(known, fmt.Sprintf("%d card numbers and PINs of bank %d under key %d",
			key.Texts, key.BankID, key.KeyID))
	}
	r.warn("compromised keys", known, "nothing is sealed under one")
	if resealing.Left == 0 {
		r.find("re-sealing", OK, "nothing waits to be re-encrypted")
		return
	}
	result := OK
	if p.Now.Sub(resealing.Progress) > resealSlack {
		result = Warning
	}
	r.find("re-sealing", result, "%d card numbers and PINs wait to be re-encrypted, the last batch "+
		"or rotation was at %s", resealing.Left, moment(resealing.Progress))
}
