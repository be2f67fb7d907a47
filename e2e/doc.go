// Package e2e holds the tests that talk to Mintmark as its users do: over HTTP, through the
// client, or by running the program. Nothing in it is mocked.
package e2e
