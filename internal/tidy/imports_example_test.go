package tidy

import "testing"

const architectureExample = `# Architecture

## Who may import whom

Down only. Test files may use more: test files may also use ` + "`store/sqlstore`" + `.

| Package | May import |
|---|---|
| ` + "`client`" + ` | |
| ` + "`internal/card`" + ` | |
| ` + "`internal/vault`" + ` | |
| ` + "`internal/store`" + ` | ` + "`card`" + ` |
| ` + "`internal/store/sqlstore`" + ` | ` + "`store` and what `store` may import" + ` |
| ` + "`internal/app`" + ` | ` + "everything under `internal`" + ` |
| ` + "`internal/gone`" + ` | |

` + "`net/http` stands in `client` and\n`app` only; SQL drivers in `sqlstore` only." + `

## Afterwards

| ` + "`internal/afterwards`" + ` | |
`

func TestImportsAreChecked(t *testing.T) {
	rules, err := readRules(architectureExample)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, rules.check([]listed{
		{ImportPath: "mintmark/client", Imports: []string{"net/http"}},
		{ImportPath: "mintmark/internal/card",
			Imports:     []string{"fmt", "net/http/httptest", "mintmark/internal/store"},
			TestImports: []string{"mintmark/internal/store/sqlstore", "mintmark/internal/vault"}},
		{ImportPath: "mintmark/internal/vault", XTestImports: []string{"mintmark/internal/vault"}},
		{ImportPath: "mintmark/internal/store", Imports: []string{"mintmark/internal/card"},
			TestImports: []string{"github.com/jackc/pgx/v5", "net/http"}},
		{ImportPath: "mintmark/internal/store/sqlstore", Imports: []string{
			"modernc.org/sqlite", "mintmark/internal/card", "mintmark/internal/vault"}},
		{ImportPath: "mintmark/internal/app",
			Imports: []string{"net/http", "mintmark/internal/vault", "mintmark/client"}},
		{ImportPath: "mintmark/internal/afterwards"},
		{ImportPath: "mintmark/e2e/ledger", Imports: []string{"mintmark/internal/app"}},
	}),
		"internal/card may not import net/http/httptest",
		"internal/card may not import mintmark/internal/store",
		"the tests of internal/card may not import mintmark/internal/vault",
		"the tests of internal/store may not import github.com/jackc/pgx/v5",
		"the tests of internal/store may not import net/http",
		"internal/store/sqlstore may not import mintmark/internal/vault",
		"internal/app may not import mintmark/client",
		"internal/afterwards has no row in ARCHITECTURE.md",
		"internal/gone has a row in ARCHITECTURE.md, but is no package",
	)
}

// TestRulesAreUnderstood holds that a table with an unknown wording is refused.
func TestRulesAreUnderstood(t *testing.T) {
	_, err := readRules("\n## Who may import whom\n")
	if err == nil {
		t.Error("a section without its sentences was read")
	}
	_, err = readCell(map[string]string{"internal/app": "whatever it needs"}, "internal/app")
	if err == nil {
		t.Error("a cell that names no package was read")
	}
}
