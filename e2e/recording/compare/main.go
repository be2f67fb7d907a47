// Mintmark compare tells how the HTTP answers of two recordings of the end-to-end tests differ:
//
//	go run ./e2e/recording/compare BEFORE AFTER
//
// It ends with 1 when any do. Package recording says how they are recorded, and what is set aside.
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
