package main

import "testing"

// TestTexts holds that each fault can be put into the code as it stands.
func TestTexts(t *testing.T) {
	t.Chdir("..") // where make runs the program
	for _, f := range faults {
		if _, err := f.overlay(t.TempDir()); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
	}
}
