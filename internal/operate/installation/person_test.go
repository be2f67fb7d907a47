package installation

import (
	"os/user"
	"testing"
)

// TestWithPerson checks the name of the person who runs a command as the user of the server.
func TestWithPerson(t *testing.T) {
	t.Parallel()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	for number, want := range map[string]string{
		"":             "mintmark",
		nobodySignedIn: "mintmark",
		me.Uid:         "mintmark, signed in as " + me.Username,
		"4000000000":   "mintmark, signed in as user of number 4000000000",
	} {
		if got := withPerson("mintmark", number); got != want {
			t.Errorf("%q gives %q, want %q", number, got, want)
		}
	}
	if got := withPerson(me.Username, me.Uid); got != me.Username {
		t.Errorf("who runs it as themselves is %q", got)
	}
}
