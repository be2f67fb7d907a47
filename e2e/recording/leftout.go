package recording

import "slices"

// leftOut lists the tests whose answers differ in each run, with the reasons. Other tests are not
// recorded at all: those with a client of their own, because they kill the program or write without
// a pause (TestCrash, TestFailedSync, TestLinearizable, TestLoadBesideServer, TestNodeIsKilled,
// TestRollingRestart and similar ones), those that use a shell or a browser, and bytes on a
// connection that are not an answer.
var leftOut = map[string]string{
	"TestOneTagAtOnce":     "many callers race for one tag, and any of them may win",
	"TestOneRequestAtOnce": "many callers send one request at the same moment",
	"TestPinOverload":      "which PINs are refused depends on how fast others are opened",
}

// LeftOut returns why a test is not compared, or "" if it is.
func LeftOut(test string) string { return leftOut[test] }

// polling lists the tests that repeat a request until the answer changes. The number of repetitions
// varies, so only the distinct answers are compared.
var polling = []string{"TestRevokedKey", "TestReady", "TestConnectionLimit"}

func polls(test string) bool { return slices.Contains(polling, test) }
