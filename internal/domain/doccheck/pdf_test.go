package doccheck

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestFilesOfPrograms reads files written by other programs: see testdata/README.md.
func TestFilesOfPrograms(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.pdf")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := problemOf(t, content); wrong != "" {
			t.Errorf("%s %s", file, wrong)
		}
	}
}

// TestActive checks that active content is detected wherever it is.
func TestActive(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ object, want string }{
		{"<< /S /JavaScript /JS (x) >>", "JavaScript"},
		{"<< /A << /S /JavaScript >> >>", "JavaScript"},
		{"<< /A [null << /S /J#61vaScript >>] >>", "JavaScript"},
		{"<< /S 5 0 R >>", "JavaScript"},
		{"<< /Length 0 /A << /S /JavaScript >> >>\nstream\n\nendstream", "JavaScript"},
		{"<< /S /Rendition /JS (x) >>", "rich media"},
		{"<< /S /Other /JS (x) >>", "JavaScript"},
		{"<< /S /Launch >>", "an action that starts a program"},
		{"<< /S /ImportData >>", "an action that imports data"},
		{"<< /S /SubmitForm >>", "a form that is sent"},
		{`<< /S /GoToR /F (\\\\example.com\\x) >>`, "an action that opens another file"},
		{"<< /S /GoToE >>", "an action that opens another file"},
		{"<< /S /Thread /F (x.pdf) >>", "an action that opens another file"},
		{"<< /Subtype /RichMedia >>", "rich media"},
		{"<< /Subtype /Screen >>", "rich media"},
		{"<< /Subtype /3D >>", "rich media"},
		{"<< /Fields [] /XFA [(template) 5 0 R] >>", "an XFA form"},
		{"<< /Type /EmbeddedFile >>", "files inside"},
		{"<< /Type /Filespec /F (x.exe) /EF << /F 5 0 R >> >>", "files inside"},
		{"<< /Subtype /FileAttachment >>", "files inside"},
		{"<< /S /URI /URI (https://example.com) >>", ""},
		{"<< /S /GoTo /D [3 0 R /Fit] >>", ""},
		{"<< /S /Thread /D 5 0 R >>", ""},
		{"<< /EF 3 0 R >>", ""},
		{"(<< /S /JavaScript >>)", ""},
	} {
		want := ""
		if row.want != "" {
			want = "must not have " + row.want
		}
		files := map[string][]byte{"plain": plainPDF(row.object, "/JavaScript")}
		if !strings.Contains(row.object, "stream") {
			files["packed"] = packedPDF(t, row.object, "/JavaScript")
		}
		for form, content := range files {
			if wrong := problemOf(t, content); wrong != want {
				t.Errorf("%s, %s: %q", row.object, form, wrong)
			}
		}
	}
}

// TestUpdates checks that the latest version of an object counts, also in a file for viewers of
// both kinds.
func TestUpdates(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	for _, text := range []string{
		catalogObject, pagesObject, pageObject, "<< /S /JavaScript >>",
	} {
		b.object(text)
	}
	first := b.Len()
	b.table("/Root 1 0 R")
	updated := b.Len()
	b.WriteString("4 0 obj null endobj\n")
	xref := b.Len()
	fmt.Fprintf(b, "xref\n4 1\n%010d 00000 n \ntrailer\n<< /Root 1 0 R /Prev %d >>\n",
		updated, first)
	if wrong := problemOf(t, b.end(xref)); wrong != "" {
		t.Errorf("the newest object does nothing, but: %s", wrong)
	}

	// Object 4 is free in the table, and in object stream 6 according to stream 7.
	b = newBuilder()
	for _, text := range []string{catalogObject, pagesObject, pageObject, "null", "null"} {
		b.object(text)
	}
	b.stream(objectStream(t, 4, "<< /S /JavaScript >>"))
	table := b.Len()
	fmt.Fprintf(b, "xref\n0 7\n")
	for i, place := range append([]int{0}, b.places...) {
		use := 'n'
		if i == 0 || i == 4 {
			use = 'f'
		}
		fmt.Fprintf(b, "%010d 00000 %c \n", place, use)
	}
	trailer := "trailer\n<< /Root 1 0 R /XRefStm %010d >>\n"
	fmt.Fprintf(b, trailer, b.Len()+len(fmt.Sprintf(trailer, 0)))
	b.stream("/Type /XRef /W [1 1 1] /Index [4 1]", "\x02\x06\x00")
	if wrong := problemOf(t, b.end(table)); wrong != "must not have JavaScript" {
		t.Errorf("an object that the table hides: %q", wrong)
	}
}

// TestDamaged checks that damaged files are not repaired.
func TestDamaged(t *testing.T) {
	t.Parallel()
	const data = ">>\nstream\nabcde\nendstream"
	good := string(plainPDF("<< /Length 5 " + data))
	for _, row := range []struct{ old, new, want string }{
		{"%PDF", "text %PDF", "it does not begin with %PDF"},
		{"startxref", "start", "its end is missing"},
		{"xref\n0", "xreg\n0", "its cross-reference table is damaged"},
		{"3 0 obj", "9 0 obj", "object 3 is damaged"},
		{"3 0 obj", "3 1 obj", "object 3 is damaged"},
		{"/Length 5", "/Length 7", "object 4 is damaged"},
		{"/Length 5", "/Length 4", "object 4 is damaged"},
		{"/Length 5", "/Length -", "object 4 is damaged"},
		{"endobj\nxref", "endobi\nxref", "object 4 is damaged"},
		{"[0 0 9 9]", "[0 0 9 9)", "object 3 is damaged"},
		{"/Size 5", "/Prev 5", "its cross-reference table is damaged"},
	} {
		changed := strings.Replace(good, row.old, row.new, 1)
		wrong := problemOf(t, []byte(changed))
		if wrong != "is not a readable PDF: "+row.want {
			t.Errorf("%s: %q", row.new, wrong)
		}
	}
	for _, object := range []string{
		"<< /Length 6 0 R " + data, "<< /Length 4 0 R " + data, "<< /A 1 /A 2 >>", "<< 1 2 >>",
		"[(x]", "<4x>", "[R]", "<< /A >>", "xyz", "1 2", "]",
	} {
		wrong := problemOf(t, plainPDF(object))
		if wrong != "is not a readable PDF: object 4 is damaged" {
			t.Errorf("%s: %q", object, wrong)
		}
	}
	for _, row := range []struct{ old, new, want string }{
		{"/Kids [3 0 R]", "/Kids [     ]", "has no page"},
		{"/Kids [3 0 R]", "/Kids [2 0 R]", "is not a valid PDF: its pages are not a tree"},
		{"/Kids [3 0 R]", "/Kids [4 0 R]", "is not a valid PDF: object 4 is not a page"},
		{"/Kids [3 0 R]", "/None [3 0 R]", "is not a valid PDF: object 2 has no pages"},
		{"/Root 1 0 R", "/None 1 0 R", "is not a valid PDF: it has no catalog"},
		{"/Size", "/Encrypt 4 0 R /Size", "is encrypted: its readers have no password"},
	} {
		wrong := problemOf(t, []byte(strings.Replace(good, row.old, row.new, 1)))
		if wrong != row.want {
			t.Errorf("%s: %q", row.new, wrong)
		}
	}
}

// TestPredictors reverses every PNG prediction.
func TestPredictors(t *testing.T) {
	t.Parallel()
	packed := "\x00\x01\x02\x03" + "\x01\x01\x01\x01" + "\x02\x01\x01\x01" + "\x03\x01\x01\x01" +
		"\x04\x01\x01\x01"
	plain, err := predicted(packed, dict{"Predictor": 15, "Columns": 3})
	want := "\x01\x02\x03" + "\x01\x02\x03" + "\x02\x03\x04" + "\x02\x03\x04" + "\x03\x04\x05"
	if err != nil || plain != want {
		t.Errorf("%x, %v", plain, err)
	}
}

// FuzzPDF runs the check on any input: it returns a text.
func FuzzPDF(f *testing.F) {
	files, err := filepath.Glob("testdata/*.pdf")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Add(plainPDF("<< /S /JavaScript >>"))
	f.Add(packedPDF(f, "<< /S /JavaScript >>"))
	f.Add(bomb(f, 2, 1))
	f.Fuzz(func(t *testing.T, content []byte) {
		wrong := problemOf(t, content)
		if !utf8.ValidString(wrong) || len(wrong) > 200 {
			t.Errorf("what is wrong is no text: %q", wrong)
		}
		if wrong == "" && !bytes.HasPrefix(content, []byte("%PDF-")) {
			t.Error("this is no PDF")
		}
	})
}
