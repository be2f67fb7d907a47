package e2e

import (
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// bothEngines are the names of the tests that need each engine. The others run on the embedded
// store in make test, and on both in make check.
var bothEngines []string

// onBothEngines has tests run on both engines wherever they run. A declaration above a test calls
// it:
//
//	var _ = onBothEngines(TestCrash)
func onBothEngines(tests ...func(*testing.T)) struct{} {
	for _, test := range tests {
		path := runtime.FuncForPC(reflect.ValueOf(test).Pointer()).Name()
		bothEngines = append(bothEngines, path[strings.LastIndex(path, ".")+1:])
	}
	return struct{}{}
}

// among narrows a pattern of -run to some tests. It returns the pattern of a test that does not
// exist when it chooses none of them.
func among(tests []string, pattern string) string {
	top, subtests, deeper := strings.Cut(pattern, "/")
	chooses, err := regexp.Compile(top)
	if err != nil {
		return pattern // which go test has refused already
	}
	var chosen []string
	for _, test := range tests {
		if chooses.MatchString(test) {
			chosen = append(chosen, test)
		}
	}
	narrowed := "^(" + strings.Join(chosen, "|") + ")$"
	if deeper {
		narrowed += "/" + subtests
	}
	return narrowed
}
