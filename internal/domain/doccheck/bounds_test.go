package doccheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// blankReader reads as blanks, without end.
type blankReader struct{}

func (blankReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// bomb returns a PDF with object streams that unpack to the given number of megabytes each.
func bomb(t testing.TB, streams, megabytes int) []byte {
	t.Helper()
	b := newBuilder()
	for _, text := range []string{catalogObject, pagesObject, pageObject} {
		b.object(text)
	}
	for i := range streams {
		b.stream("/Type /ObjStm /N 1 /First 6 /Filter /FlateDecode", deflateFrom(t, io.MultiReader(
			strings.NewReader(fmt.Sprintf("%d 0 <<", 1000+i)),
			io.LimitReader(blankReader{}, int64(megabytes)<<20), strings.NewReader(">>"))))
	}
	xref := b.Len()
	fmt.Fprintf(b, "xref\n1 %d\n", len(b.places))
	for _, place := range b.places {
		fmt.Fprintf(b, "%010d 00000 n \n", place)
	}
	// An object in each stream, by a cross-reference stream beside the table.
	var records bytes.Buffer
	for i := range streams {
		records.Write([]byte{2, byte(4 + i), 0})
	}
	trailer := "trailer\n<< /Root 1 0 R /XRefStm %010d >>\n"
	fmt.Fprintf(b, trailer, b.Len()+len(fmt.Sprintf(trailer, 0)))
	b.stream(fmt.Sprintf("/Type /XRef /W [1 1 1] /Index [%d %d]", 1000, streams),
		records.String())
	return b.end(xref)
}

// TestBomb checks that a PDF that unpacks to too much is rejected before it is unpacked.
func TestBomb(t *testing.T) {
	for name, content := range map[string][]byte{
		"in one stream": bomb(t, 1, 80),
		"in many":       bomb(t, 40, 2),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		wrong := problemOf(t, content)
		runtime.ReadMemStats(&after)
		if !strings.HasSuffix(wrong, errUnpacked.Error()) {
			t.Errorf("%s: %q", name, wrong)
		}
		if taken := (after.TotalAlloc - before.TotalAlloc) >> 20; taken > 3*maxUnpackedMegas {
			t.Errorf("%s: the check takes %d MB", name, taken)
		}
	}
}

// TestUnpacked checks that a PDF that unpacks to less is read.
func TestUnpacked(t *testing.T) {
	if wrong := problemOf(t, packedPDF(t, "<<"+strings.Repeat(" ", 20<<20)+">>")); wrong != "" {
		t.Error(wrong)
	}
}

// TestBounds checks that every bound is enforced.
func TestBounds(t *testing.T) {
	nested := newBuilder()
	for _, text := range []string{catalogObject, pagesObject, pageObject} {
		nested.object(text)
	}
	const deep = 1000 // objects, each in a string of the previous one
	for range deep {
		nested.places = append(nested.places, nested.Len())
		fmt.Fprintf(nested, "%d 0 obj (", len(nested.places))
	}
	nested.WriteString(strings.Repeat(") endobj ", deep))

	for name, row := range map[string]struct {
		content []byte
		want    string
	}{
		"objects": {plainPDF(make([]string, maxObjects)...), errObjects.Error()},
		"values": {
			plainPDF("[" + strings.Repeat("0 ", maxValues) + "]"), errValues.Error(),
		},
		"depth": {
			plainPDF(strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1)),
			"object 4 is damaged",
		},
		"overlap":            {nested.table("/Root 1 0 R"), errOverlap.Error()},
		"a length in itself": {lengthInItself(t), "object 5 is damaged"},
	} {
		if wrong := problemOf(t, row.content); wrong != "is not a readable PDF: "+row.want {
			t.Errorf("%s: %q", name, wrong)
		}
	}
	within := plainPDF(strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth))
	if wrong := problemOf(t, within); wrong != "" {
		t.Error(wrong)
	}
}

// lengthInItself returns a PDF with an object stream that contains its own length.
func lengthInItself(t *testing.T) []byte {
	t.Helper()
	b := newBuilder()
	for _, text := range []string{catalogObject, pagesObject, pageObject} {
		b.object(text)
	}
	entries, data := objectStream(t, 5, "99")
	b.object("<< " + entries + " /Length 5 0 R >>\nstream\n" + data + "\nendstream")
	table := b.Len()
	b.WriteString("xref\n1 4\n")
	for _, place := range b.places {
		fmt.Fprintf(b, "%010d 00000 n \n", place)
	}
	trailer := "trailer\n<< /Root 1 0 R /XRefStm %010d >>\n"
	fmt.Fprintf(b, trailer, b.Len()+len(fmt.Sprintf(trailer, 0)))
	b.stream("/Type /XRef /W [1 1 1] /Index [5 1]", "\x02\x04\x00")
	return b.end(table)
}

// countdown is a context that ends after a number of calls.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestContext checks that a check ends with its context, whether the context ends before or during
// the check.
func TestContext(t *testing.T) {
	many := plainPDF(strings.Split(strings.Repeat("<<>> ", 10_000), " ")[:10_000]...)
	if _, err := PDF(&countdown{t.Context(), 100}, many); !errors.Is(err, context.Canceled) {
		t.Errorf("a check at work: %v", err)
	}
	if wrong := problemOf(t, many); wrong != "" {
		t.Errorf("without an end: %s", wrong)
	}
	checking <- struct{}{}
	defer func() { <-checking }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := PDF(ctx, many); !errors.Is(err, context.Canceled) {
		t.Errorf("a check that waits for another: %v", err)
	}
}
