package sqlstore

import (
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/testkit/pgtest"
)

// TestServerPlans checks PostgreSQL's plans for the sums of usage. Reading rows of other customers
// would collide with their transactions, so each lookup must name the program and the customer.
func TestServerPlans(t *testing.T) {
	t.Parallel()
	engine, err := postgres.Open(t.Context(), pgtest.URL(t), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	err = engine.View(t.Context(), func(s db.Session) error {
		for text, args := range map[string][]any{
			findUsagesByID: {1, "withdraw"}, findUsagesByDigest: {[]byte{1}, "withdraw"},
			findHoldUsages: {"hold"},
			findShareByID:  {1, "withdraw", 1}, findShareByDigest: {[]byte{1}, "withdraw", 1},
			findHoldShares: {"hold", 1},
		} {
			steps, err := db.List(s, func(row db.Scan) (step string, err error) {
				err = row(&step)
				return step, err
			}, "EXPLAIN "+text, args...)
			if err != nil {
				return err
			}
			lookups, shares := 0, strings.Contains(text, "usage_shares")
			for i, step := range steps {
				if !strings.Contains(step, "on usage") {
					continue
				}
				lookups++
				cond := steps[min(i+1, len(steps)-1)]
				if !strings.Contains(step, "Index Scan using usage") ||
					!strings.Contains(cond, "program_id = ") ||
					!strings.Contains(cond, "customer_id = ") && !strings.Contains(cond, "lane = ") {
					t.Errorf("%s\n%s", text, strings.Join(steps, "\n"))
				}
			}
			if lookups != 2 && !shares || lookups != 1 && shares {
				t.Errorf("%d lookups of sums:\n%s", lookups, strings.Join(steps, "\n"))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
