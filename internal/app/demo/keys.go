package demo

import (
	"fmt"
	"sync"

	"mintmark/internal/importer/load"
)

// Keys returns the API keys of calling programs in the demo data, in the order of the file. Their
// secrets are public.
var Keys = sync.OnceValue(func() []load.KeyText {
	data, err := Read()
	if err != nil {
		panic(fmt.Sprintf("demo: the demo data cannot be read: %v", err))
	}
	keys, err := data.Keys()
	if err != nil {
		panic(fmt.Sprintf("demo: the keys of the demo data cannot be read: %v", err))
	}
	return keys
})
