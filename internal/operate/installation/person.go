package installation

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"

	"mintmark/internal/domain/audit"
)

// Person returns the actor of a command: the person who runs the program.
func Person() audit.Actor { return audit.Actor{Kind: audit.CommandLine, Name: userName()} }

// userName returns the user who runs the program. After su or sudo it also names the user who
// signed in.
func userName() string {
	if os.Getuid() < 0 {
		return windowsUser()
	}
	acts := nameOf(strconv.Itoa(os.Getuid()))
	text, err := os.ReadFile("/proc/self/loginuid")
	if err != nil {
		return acts
	}
	return withPerson(acts, strings.TrimSpace(string(text)))
}

// windowsUser returns the user who runs the program on Windows, where users have no numeric ids.
func windowsUser() string {
	who, err := user.Current()
	if err != nil {
		return "unknown user"
	}
	return who.Username
}

// nobodySignedIn is Linux's value for a process without a sign-in.
const nobodySignedIn = "4294967295"

// withPerson adds the user who signed in. Linux preserves that user's id through su and sudo.
func withPerson(acts, signedIn string) string {
	if signedIn == "" || signedIn == nobodySignedIn || nameOf(signedIn) == acts {
		return acts
	}
	return fmt.Sprintf("%s, signed in as %s", acts, nameOf(signedIn))
}

// nameOf returns the name of an operating system user.
func nameOf(number string) string {
	who, err := user.LookupId(number)
	if err != nil {
		return "user of number " + number
	}
	return who.Username
}
