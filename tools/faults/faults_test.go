package main

import "testing"

// TestTexts checks that each fault can be inserted into the current code.
func TestTexts(t *testing.T) {
	t.Chdir("..") // where make runs the program
	for _, f := range faults {
		if _, err := f.overlay(t.TempDir()); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
	}
}
