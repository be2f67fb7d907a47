package reference

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// TestProblemPages follows the type of each problem to its page, and compares its meaning with
// docs/operators.md.
func TestProblemPages(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/operators.md")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+ProblemPath, Problem)
	for _, p := range problemMeanings {
		row := fmt.Sprintf("| `%s` | %d | %s |\n", p.name, p.status, p.meaning)
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/operators.md lacks %s", row)
		}
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, httptest.NewRequest("GET", "/problems/"+p.name, http.NoBody))
		if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), p.meaning) {
			t.Errorf("%s: %d %s", p.name, answer.Code, answer.Body)
		}
	}
	if got := strings.Count(string(text), "` | 4") + strings.Count(string(text), "` | 5"); got !=
		len(problemMeanings)-1 { // needs-approval has status 202
		t.Errorf("docs/operators.md lists %d problems", got)
	}
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest("GET", "/problems/nothing", http.NoBody))
	if answer.Code != http.StatusNotFound {
		t.Errorf("an unknown problem: %d", answer.Code)
	}
}
