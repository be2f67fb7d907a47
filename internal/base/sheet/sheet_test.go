package sheet_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mintmark/internal/base/sheet"
)

// TestWrite quotes where necessary, and disarms formulas.
func TestWrite(t *testing.T) {
	t.Parallel()
	var written strings.Builder
	columns := []string{"id", "name", "types", "last", "by.name"}
	err := sheet.Write(&written, columns, []json.RawMessage{
		json.RawMessage(`{"id":7,"name":"a \"b\", c","types":["x","y"],"more":1,` +
			`"by":{"name":"ada","id":1}}`),
		json.RawMessage(`{"id":8,"name":"=HYPERLINK(1)","types":[],"last":null}`),
	})
	want := "id,name,types,last,by.name\n7,\"a \"\"b\"\", c\",x; y,,ada\n8,'=HYPERLINK(1),,,\n"
	if err != nil || written.String() != want {
		t.Errorf("wrote %q, %v, want %q", written.String(), err, want)
	}
}
