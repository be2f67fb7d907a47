package contract

import (
	"fmt"
	"regexp"
	"sync"

	"mintmark/internal/domain/fault"
)

// checkMessages checks the message of each entry of the errors array against the catalogue.
func checkMessages(envelope map[string]any) error {
	entries, _ := envelope["errors"].([]any)
	for _, entry := range entries {
		member, _ := entry.(map[string]any)
		code, message := fmt.Sprint(member["code"]), fmt.Sprint(member["message"])
		if !isMessage(code, message) {
			return fmt.Errorf("%s has no message like %q", code, message)
		}
	}
	return nil
}

func isMessage(code, message string) bool {
	for _, pattern := range patterns()[code] {
		if pattern.MatchString(message) {
			return true
		}
	}
	return false
}

var blank = regexp.MustCompile(`\\\{[A-Za-z]+\\\}`)

// patterns maps codes to patterns of their messages, which match any text in the blanks.
var patterns = sync.OnceValue(func() map[string][]*regexp.Regexp {
	all := make(map[string][]*regexp.Regexp)
	for _, e := range fault.Entries() {
		code := fmt.Sprint(e.Code)
		text := blank.ReplaceAllString(regexp.QuoteMeta(e.Message), "(?s:.*)")
		all[code] = append(all[code], regexp.MustCompile("^"+text+"$"))
	}
	return all
})
