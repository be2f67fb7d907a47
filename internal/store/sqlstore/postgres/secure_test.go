package postgres

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUnverified checks which connection strings leave a host without a verified certificate. A
// host that is only a fallback counts as much as the first.
func TestUnverified(t *testing.T) {
	none := []string(nil)
	for url, want := range map[string][]string{
		"postgres://u@db1/m":                                    {"db1"},
		"postgres://u@db1/m?sslmode=disable":                    {"db1"},
		"postgres://u@db1/m?sslmode=allow":                      {"db1"},
		"postgres://u@db1/m?sslmode=prefer":                     {"db1"},
		"postgres://u@db1/m?sslmode=require":                    {"db1"},
		"postgres://u@db1/m?sslmode=verify-ca":                  none,
		"postgres://u@db1/m?sslmode=verify-full":                none,
		"postgres://u@db1,10.0.0.2/m":                           {"db1", "10.0.0.2"},
		"postgres://u@127.0.0.1,db2/m":                          {"db2"},
		"postgres://u@127.0.0.1/m":                              none,
		"postgres://u@127.9.9.9:5433/m":                         none,
		"postgres://u@[::1]/m":                                  none,
		"postgres://u@localhost/m":                              none,
		"host=/var/run/postgresql dbname=m":                     none,
		"host=/var/run/postgresql,10.0.0.2 dbname=m":            {"10.0.0.2"},
		"host=db1,db1 port=1,2 dbname=m sslmode=disable user=u": {"db1"},
	} {
		got, err := Unverified(url)
		if err != nil {
			t.Errorf("%s: %v", url, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", url, diff)
		}
	}
	if _, err := Unverified("postgres://u@db1:port/m"); err == nil {
		t.Error("a string that is none is taken")
	}
}
