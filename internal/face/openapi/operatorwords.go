package openapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

// operatorWordsText is what the comments of package client/admin say of types and their members, as
// TestGoldenOperatorWords prints it.
//
//go:embed operatorwords.json
var operatorWordsText []byte

// operatorWords are the comments by the name of the type, or of the type and the field with a dot
// between.
var operatorWords = sync.OnceValue(func() map[string]string {
	words := map[string]string{}
	if err := json.Unmarshal(operatorWordsText, &words); err != nil {
		panic(fmt.Sprintf("openapi: operatorwords.json: %v", err))
	}
	return words
})
