package recording

import "slices"

// leftOut are the tests whose answers are different in each run, and why. Not recorded at all are
// those that use a client of their own, because they kill the program or write without a pause
// (TestCrash, TestFailedSync, TestLinearizable, TestLoadBesideServer, TestNodeIsKilled,
// TestRollingRestart and their like), those that give text to a shell or a browser, and what a
// connection says without being an answer.
var leftOut = map[string]string{
	"TestOneTagAtOnce":     "many callers race for one tag, and any of them may win",
	"TestOneRequestAtOnce": "many callers send one request at the same moment",
	"TestPinOverload":      "which PINs are refused depends on how fast others are opened",
}

// LeftOut tells why a test is not compared; it returns nothing when the test is.
func LeftOut(test string) string { return leftOut[test] }

// polling are the tests that ask again until an answer changes. How often they ask differs, so only
// the distinct answers are compared.
var polling = []string{"TestRevokedKey", "TestReady", "TestConnectionLimit"}

func polls(test string) bool { return slices.Contains(polling, test) }
