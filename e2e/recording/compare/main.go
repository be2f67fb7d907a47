// Mintmark compare shows the differences between the HTTP answers in two recordings of the
// end-to-end tests:
//
//	go run ./e2e/recording/compare BEFORE AFTER
//
// Its exit code is 1 if there are any. Package recording documents how answers are recorded, and
// what is ignored.
package main

import (
	"fmt"
	"os"

	"mintmark/e2e/recording"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: compare BEFORE AFTER, two directories of recordings")
		os.Exit(2)
	}
	different, err := recording.Compare(os.Stdout, os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(2)
	}
	if different > 0 {
		os.Exit(1)
	}
}
