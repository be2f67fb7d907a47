package doccheck

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"strings"
	"testing"
)

// The first objects of the PDFs that tests build.
const (
	catalogObject = "<< /Type /Catalog /Pages 2 0 R >>"
	pagesObject   = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
	pageObject    = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>"
)

// builder writes a PDF part by part.
type builder struct {
	bytes.Buffer
	places []int // offsets of the objects, from number 1 on
}

func newBuilder() *builder {
	b := new(builder)
	b.WriteString("%PDF-1.7\n")
	return b
}

// object writes the next object.
func (b *builder) object(text string) {
	b.places = append(b.places, b.Len())
	fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", len(b.places), text)
}

// stream writes the next object as a stream.
func (b *builder) stream(entries, data string) {
	b.object(fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", entries, len(data), data))
}

// table writes a table of all objects, and the end of a PDF.
func (b *builder) table(trailer string) []byte {
	at := b.Len()
	fmt.Fprintf(b, "xref\n0 %d\n0000000000 65535 f \n", len(b.places)+1)
	for _, place := range b.places {
		fmt.Fprintf(b, "%010d 00000 n \n", place)
	}
	fmt.Fprintf(b, "trailer\n<< /Size %d %s >>\n", len(b.places)+1, trailer)
	return b.end(at)
}

// end writes the end of a PDF.
func (b *builder) end(xref int) []byte {
	fmt.Fprintf(b, "startxref\n%d\n%%%%EOF\n", xref)
	return b.Bytes()
}

// plainPDF returns a PDF with a page and additional objects, from number 4 on.
func plainPDF(more ...string) []byte {
	b := newBuilder()
	for _, text := range append([]string{catalogObject, pagesObject, pageObject}, more...) {
		b.object(text)
	}
	return b.table("/Root 1 0 R")
}

// packedPDF returns the same with an object stream and a cross-reference stream.
func packedPDF(t testing.TB, more ...string) []byte {
	t.Helper()
	b := newBuilder()
	objects := append([]string{catalogObject, pagesObject, pageObject}, more...)
	in := len(objects) + 1
	b.places = make([]int, len(objects))
	b.stream(objectStream(t, 1, objects...))
	var records bytes.Buffer
	records.Write([]byte{0, 0, 0, 0, 0, 0})
	for i := range objects {
		records.Write([]byte{2, 0, byte(in >> 8), byte(in), byte(i >> 8), byte(i)})
	}
	for _, at := range []int{b.places[in-1], b.Len()} {
		records.Write([]byte{1, byte(at >> 16), byte(at >> 8), byte(at), 0, 0})
	}
	xref := b.Len()
	b.stream(fmt.Sprintf("/Type /XRef /W [1 3 2] /Size %d /Root 1 0 R /Filter /FlateDecode"+
		" /DecodeParms << /Predictor 12 /Columns 6 >>", in+2),
		deflate(t, predict(records.Bytes(), 6)))
	return b.end(xref)
}

// objectStream returns the entries and the data of a stream of objects, numbered from first on.
func objectStream(t testing.TB, first int, objects ...string) (entries, data string) {
	t.Helper()
	var numbers, texts strings.Builder
	for i, text := range objects {
		fmt.Fprintf(&numbers, "%d %d ", first+i, texts.Len())
		texts.WriteString(text + "\n")
	}
	return fmt.Sprintf("/Type /ObjStm /N %d /First %d /Filter [/FlateDecode]",
		len(objects), numbers.Len()), deflate(t, numbers.String()+texts.String())
}

// predict writes each row as its difference from the row above it.
func predict(text []byte, columns int) string {
	var rows bytes.Buffer
	for at := 0; at < len(text); at += columns {
		rows.WriteByte(2)
		for i := at; i < at+columns; i++ {
			above := byte(0)
			if at > 0 {
				above = text[i-columns]
			}
			rows.WriteByte(text[i] - above)
		}
	}
	return rows.String()
}

func deflate(t testing.TB, text string) string {
	t.Helper()
	return deflateFrom(t, strings.NewReader(text))
}

func deflateFrom(t testing.TB, text io.Reader) string {
	t.Helper()
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	if _, err := io.Copy(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}
