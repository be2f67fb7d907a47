package installation

import (
	"testing"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/sqlite"
)

// TestStorageTellsOfOtherPrograms opens one embedded database twice, as a load and a server do. The
// load counts the server's commits, but not its own.
func TestStorageTellsOfOtherPrograms(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	var opened [2]*Storage
	for i := range opened {
		kept, err := openStore(t.Context(), data, Database{}, sqlite.Options{}, postgres.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer kept.Close()
		opened[i] = kept
	}
	write := func(kept *Storage, id int) {
		t.Helper()
		err := kept.Update(t.Context(), func(tx store.Tx) error {
			return tx.Banks().Put(store.Bank{ID: id})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	loading, server := opened[0], opened[1]
	write(loading, 1)
	before := loading.Disk.ExternalCommits()
	write(loading, 2)
	if got := loading.Disk.ExternalCommits(); got != before {
		t.Errorf("its own write counts as that of another program: %d after %d", got, before)
	}
	write(server, 3)
	write(loading, 4)
	if got := loading.Disk.ExternalCommits(); got != before+1 {
		t.Errorf("the write of the other program is not counted: %d after %d", got, before)
	}
}
