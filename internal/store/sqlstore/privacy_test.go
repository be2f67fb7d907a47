package sqlstore_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/store/sqlstore/migrations"
)

// withText holds the queries for the columns that may hold text: table and column.
var withText = map[string]string{
	migrations.SQLite: `SELECT m.name || '.' || c.name
		FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'goose_%'
			AND c.type IN ('TEXT', 'BLOB')`,
	migrations.PostgreSQL: `SELECT table_name || '.' || column_name
		FROM information_schema.columns WHERE table_schema = 'public'
			AND table_name NOT LIKE 'goose_%'
			AND data_type IN ('text', 'bytea', 'json', 'jsonb', 'character varying')`,
}

// TestPrivacyIsDecided compares the columns of both databases that may hold text with
// docs/privacy.md, which describes what each says about a person, and with impersonal.
func TestPrivacyIsDecided(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/privacy.md")
	if err != nil {
		t.Fatal(err)
	}
	decided := decidedColumns(string(text))
	for name, e := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			driver, place := e.connect(t)
			kept, err := e.open(place)
			if err != nil {
				t.Fatal(err)
			}
			closeStore(t, kept)
			there := texts(t, connected(t, driver, place), withText[name])
			if len(there) < 100 {
				t.Errorf("%d columns are there", len(there))
			}
			if diff := cmp.Diff(there, decided); diff != "" {
				t.Errorf("docs/privacy.md (-there +decided):\n%s", diff)
			}
		})
	}
}

// impersonal lists the text columns that say nothing about a customer, by table.
var impersonal = map[string]string{
	"account_access": "type",
	"accounts":       "type status",
	"api_keys":       "name secrets allow_list compatibility label",
	"approvals":      "state act method path roles subject asked_by owner_kind ended_by ended_kind",
	"attempts":       "kind",
	"audit":          "key_name address route request_id outcome actor_kind subject_kind subject_id digest",
	"authorizations": "authorization_id request_digest kind category currency reason root_id " +
		"advice_digest advised_by would_have",
	"bank_keys":            "state wrapped",
	"banks":                "name",
	"bins":                 "vendor description first_body last_body",
	"card_slots":           "category",
	"cards":                "type vendor status lock_type lock_reason qualifier primary_category",
	"compromised_cards":    "cards",
	"compromises":          "name act digest actor_kind actor_name statuses state outcomes day",
	"console_sessions":     "digest data",
	"customers":            "status access_type",
	"deliveries":           "type state last_error",
	"delivery_attempts":    "error",
	"document_drafts":      "culture type title html pdf",
	"documents":            "culture type title html pdf",
	"erasures":             "key_name route idempotency_key",
	"feeds":                "source digest report",
	"hold_ends":            "hold_id kind ended_by posting_id authorization_id",
	"hourly":               "chart item label",
	"holds":                "hold_id authorization_id kind later",
	"installation":         "environment keyset_fingerprint pin_key_fingerprint",
	"invitations":          "digest totp",
	"jobs":                 "name node error",
	"key_uses":             "key_name",
	"leases":               "name holder",
	"notices":              "kind subject",
	"number_digests":       "phase wrapped next_wrapped",
	"operator_answers":     "operator route idempotency_key body_digest",
	"operator_credentials": "password totp",
	"operator_tokens":      "name digest roles banks owner_kind",
	"operators":            "name roles banks state openid",
	"orders":               "kind token state claimed_by",
	"postings":             "posting_id request_digest hold_id kind",
	"processor_files":      "direction digest",
	"programs":             "settings renewal balances currency",
	"reconciliations":      "kind digest who sorts differences",
	"replays":              "key_name route idempotency_key body_digest",
	"reports":              "report_id order_id kind result why",
	"retired_secrets":      "digest key_name",
	"reversals":            "reversal_id request_digest authorization_id result",
	"sandbox":              "frozen_at",
	"sandbox_numbers":      "source",
	"sandbox_worlds":       "name",
	"sealed_batches":       "audit_ids root note",
	"sealed_hashes":        "hashes",
	"sign_ins":             "account address",
	"usages":               "direction",
	"usage_shares":         "direction",
	"webhook_endpoints":    "node",
	"webhook_replays":      "types",
	"webhooks":             "name url types earlier_types secrets paused_because",
}

// numericColumns lists the columns that say something about a person as a number.
var numericColumns = []string{"customers.born_on", "customers.deceased_on"}

var ofColumn = regexp.MustCompile("`([a-z_]+\\.[a-z_]+)`")

// decidedColumns returns the columns in the first cells of the table, and the impersonal ones.
func decidedColumns(text string) []string {
	var all []string
	for table, names := range impersonal {
		for _, name := range strings.Fields(names) {
			all = append(all, table+"."+name)
		}
	}
	for line := range strings.Lines(text) {
		if cells := strings.Split(line, "|"); len(cells) > 1 {
			for _, name := range ofColumn.FindAllStringSubmatch(cells[1], -1) {
				if !slices.Contains(numericColumns, name[1]) {
					all = append(all, name[1])
				}
			}
		}
	}
	slices.Sort(all)
	return all
}
