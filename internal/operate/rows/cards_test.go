package rows

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mintmark/internal/app/demo"
	"mintmark/internal/base/pan"
	"mintmark/internal/domain/card"
	"mintmark/internal/store"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testinstall"
)

// TestImportTrips checks that an import of cards takes one round trip to a database server for many
// cards, in the check and in the writing.
func TestImportTrips(t *testing.T) {
	t.Parallel()
	address, trips := pgtest.Counted(t, pgtest.URL(t))
	at := testinstall.New(t, address)
	keys, kept, err := at.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data, err := demo.Read()
	if err == nil {
		err = kept.Update(t.Context(), func(tx store.Tx) error {
			return data.Write(tx, keys, rand.Reader, card.SandboxEnding)
		})
	}
	if err := errors.Join(err, kept.Close()); err != nil {
		t.Fatal(err)
	}
	const count = 300
	text := strings.Builder{}
	text.WriteString(`{"source":"old platform","programId":1,"sequence":1}` + "\n")
	for i := range count {
		body := fmt.Sprintf("400551%09d", 900_000_000+2*i)
		fmt.Fprintf(&text, `{"number":"%s%c","expireMonth":3,"expireYear":2031,"customerId":1001,`+
			`"accounts":[{"accountId":2001,"priority":1}],"typeCode":"DBT","vendorTypeCode":"VS",`+
			`"status":"PendingVerification","tag":"old %d","nickName":"old %d","firstName":"Ada",`+
			`"lastName":"Example","createdDate":"2024-03-14T09:30:00Z"}`+"\n",
			body, pan.CheckDigit(body), i, i)
	}
	feeding := FeedOptions{
		Location: at.Location, File: filepath.Join(t.TempDir(), "cards.ndjson"),
		Tell: func(FeedChange) {},
	}
	if err := os.WriteFile(feeding.File, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, feeding.DryRun = range []bool{true, false} {
		before := trips.Load()
		report, err := ImportCards(t.Context(), feeding)
		if err != nil || report.Imported() != count {
			t.Fatalf("%+v, %v", report, err)
		}
		if needed := trips.Load() - before; needed > count/2 {
			t.Errorf("dry run %t: %d trips for %d cards", feeding.DryRun, needed, count)
		}
	}
}
