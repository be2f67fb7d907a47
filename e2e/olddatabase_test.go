//go:build check

package e2e

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"mintmark/e2e/ledger"
)

// setBack makes a database what it was before fingerprints were remembered.
func setBack(t *testing.T, data string) {
	t.Helper()
	db := ledger.Open(t, data)
	var statements []string
	for trigger, table := range map[string]string{
		"order_unnumbered": "orders", "card_made_locked": "cards", "card_locked": "cards",
		"number_of_retired_key": "card_numbers",
	} {
		if ledger.On() == ledger.Postgres {
			trigger += " ON " + table
		}
		statements = append(statements, "DROP TRIGGER "+trigger)
	}
	for _, index := range []string{
		"audit_program", "audit_bank", "audit_subject", "audit_actor", "api_keys_label",
		"cards_by_status", "cards_expiring", "documents_effective", "documents_expires",
		"programs_bank", "card_numbers_key", "orders_pin_key", "orders_people",
		"card_numbers_second", "orders_created",
	} {
		statements = append(statements, "DROP INDEX "+index)
	}
	statements = append(statements,
		`ALTER TABLE audit DROP COLUMN bank_id`, `ALTER TABLE documents DROP COLUMN published_at`,
		`ALTER TABLE programs DROP COLUMN four_eyes`, `ALTER TABLE api_keys DROP COLUMN label`,
		`ALTER TABLE audit DROP COLUMN actor_kind`, `ALTER TABLE audit DROP COLUMN reason`,
		`ALTER TABLE audit DROP COLUMN actor_id`,
		`ALTER TABLE audit DROP COLUMN subject_kind`,
		`ALTER TABLE audit DROP COLUMN subject_id`, `ALTER TABLE audit DROP COLUMN digest`,
		`ALTER TABLE api_keys DROP COLUMN compatibility`,
		`ALTER TABLE api_keys DROP COLUMN revoked_at`, `DROP TABLE retired_secrets`,
		`ALTER TABLE cards DROP COLUMN orders`, `ALTER TABLE cards DROP COLUMN shipped_at`,
		`ALTER TABLE accounts DROP COLUMN held`,
		`ALTER TABLE accounts DROP COLUMN balance_changed_at`,
		`ALTER TABLE orders DROP COLUMN emptied_at`,
		`ALTER TABLE card_numbers DROP COLUMN second_digest`,
		`ALTER TABLE card_numbers DROP COLUMN digest_key`,
		`ALTER TABLE programs DROP COLUMN renewal`,
		`ALTER TABLE programs DROP COLUMN balances`,
		`DROP TABLE installation`, `DELETE FROM goose_db_version WHERE version_id >= 10`,
	)
	for _, table := range []string{
		"reports", "authorizations", "postings", "hold_ends", "holds", "usages", "usage_shares",
		"sealed_batches", "sealed_hashes", "archived_entries", "deliveries",
		"delivery_attempts", "webhook_replays", "webhook_endpoints", "webhooks", "jobs",
		"notices", "processor_files", "operator_credentials", "invitations", "operator_tokens",
		"console_sessions", "sign_ins", "operators", "approvals", "operator_answers", "key_uses",
		"locked_cards", "card_texts", "late_cards", "card_packing", "document_drafts",
		"sandbox_numbers", "sandbox_worlds", "sandbox", "bank_keys", "feeds", "person_keys",
		"number_digests", "reconciliations", "compromised_cards", "compromises",
	} {
		statements = append(statements, `DROP TABLE `+table)
	}
	for _, table := range []string{
		"banks", "pci_keys", "programs", "bins", "customers", "accounts", "account_access",
		"documents", "api_keys",
	} {
		statements = append(statements, `ALTER TABLE `+table+` DROP COLUMN revision`)
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	// There was no mark of production, either.
	_ = os.Remove(filepath.Join(data, "production"))
}

// TestDatabaseFromBefore takes over a database from before fingerprints were remembered, without
// init. Keys that do not open what is in it are refused, and so is a sandbox.
func TestDatabaseFromBefore(t *testing.T) {
	t.Parallel()
	p := newProduction(t)
	remembered := query(t, p.data, `SELECT keyset_fingerprint FROM installation`)
	setBack(t, p.data)
	p.refused("data is production's", append([]string{"sandbox"}, on(t, p.data)...)...)
	if ledger.On() == ledger.Postgres {
		p.refused("does not belong to the keys in", "sandbox", "--data",
			filepath.Join(t.TempDir(), "data"), "--database", ledger.Database(t, p.data).URL)
	}

	keyset := filepath.Join(p.data, "keyset.json")
	right, err := os.ReadFile(keyset)
	if err != nil {
		t.Fatal(err)
	}
	strange := filepath.Join(t.TempDir(), "data")
	p.done("init", "--data", strange)
	wrong, err := os.ReadFile(filepath.Join(strange, "keyset.json"))
	if err != nil {
		t.Fatal(err)
	}
	keep := func(text []byte) {
		if err := os.WriteFile(keyset, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	keep(wrong)
	for _, name := range []string{"serve", "migrate", "init"} {
		p.refused("does not belong to the keys in .*: they do not open the number of card ",
			name, "--config", p.config)
	}
	keep(right)
	program := p.serve()
	same(t, "keyset", query(t, p.data, `SELECT keyset_fingerprint FROM installation`), remembered)
	same(t, "exit code", program.end(syscall.SIGTERM), 0)
	// The entries from before are sealed, too, and have no digest.
	if verifyAudit(t, p.data) < 1 {
		t.Error("no entry is sealed")
	}
	if _, err := os.Stat(filepath.Join(p.data, "production")); err != nil {
		t.Error(err)
	}

	old := filepath.Join(t.TempDir(), "data")
	same(t, "exit code", sandbox(t, "--data", old).end(syscall.SIGTERM), 0)
	setBack(t, old)
	same(t, "exit code", sandbox(t, "--data", old).end(syscall.SIGTERM), 0)
	same(t, "environment", query(t, old, `SELECT environment FROM installation`), "sandbox")
}
