package audit

import (
	"encoding/hex"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"
)

// sealedExamples returns entries whose bytes must never change.
func sealedExamples() []Sealed {
	full := Entry{
		At: time.Date(2026, 2, 3, 4, 5, 6, 789e6, time.FixedZone("", 3600)),
		Actor: Actor{
			Kind: APIKey, Name: "example1", Address: "2001:db8::1",
			RequestID: "3d1f0c52-7d1c-4b7e-a1f5-2a8f0c2d9e11", Reason: "because \"é\"",
		},
		Act: "/card/lock", ProgramID: 1, CustomerID: 1001, Subject: Of(Card, 5001),
		Outcome: "changed", Before: `{"status":"Initiated"}`, After: `{"status":"Verified"}`,
	}
	digest := make([]byte, 32)
	for i := range digest {
		digest[i] = byte(i)
	}
	ofBank := full
	ofBank.ProgramID, ofBank.BankID, ofBank.Subject = 0, 7, Of(Document, 17)
	byToken := ofBank
	byToken.Kind, byToken.Actor.ID = ByToken, 3
	return []Sealed{
		{Sequence: 1, Entry: Entry{At: time.UnixMilli(0)}},
		{Sequence: 2, Event: 1, Digest: digest, Entry: full},
		{Sequence: 1 << 40, Event: 1 << 33, Entry: Entry{
			At: time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC), ProgramID: -1,
			Subject: Subject{Key, "a"}, Actor: Actor{Kind: Job, Name: "x"},
		}},
		{Sequence: 4, Digest: digest, Entry: ofBank},
		{Sequence: 5, Digest: digest, Entry: byToken},
	}
}

// TestContentIsFixed compares the bytes and the hash of a record with those recorded when the
// format was defined: every hash of every log depends on them.
func TestContentIsFixed(t *testing.T) {
	t.Parallel()
	var lines []string
	for _, s := range sealedExamples() {
		lines = append(lines, hex.EncodeToString(s.AppendRecord(nil))+" "+s.LeafHash().String())
	}
	got := strings.Join(lines, "\n") + "\n"
	want, err := os.ReadFile("testdata/records.txt")
	if err != nil || got != string(want) {
		t.Errorf("error %v, the records are\n%s", err, got)
	}
}

// TestEveryFieldIsHashed changes each field of an entry alone: the hash differs.
func TestEveryFieldIsHashed(t *testing.T) {
	t.Parallel()
	base := sealedExamples()[1]
	hashes := map[tlog.Hash]string{base.LeafHash(): "nothing"}
	var change func(path string, field reflect.Value)
	changed := base
	change = func(path string, field reflect.Value) {
		before := reflect.ValueOf(field.Interface())
		switch value := field.Addr().Interface().(type) {
		case *time.Time:
			*value = value.Add(time.Millisecond)
		case *[]byte:
			*value = append([]byte{9}, *value...)
		case *int:
			*value++
		default:
			if field.Kind() == reflect.Struct {
				for i := range field.NumField() {
					change(path+"."+field.Type().Field(i).Name, field.Field(i))
				}
				return
			}
			field.SetString(field.String() + "x")
		}
		hash := changed.LeafHash()
		if other, there := hashes[hash]; there {
			t.Errorf("%s and %s change the hash alike", path, other)
		}
		hashes[hash] = path
		field.Set(before)
	}
	change("Sealed", reflect.ValueOf(&changed).Elem())
	const fields = 20
	if len(hashes) != fields {
		t.Errorf("%d hashes, want %d: %v", len(hashes), fields, hashes)
	}
}

// TestLines writes entries as lines and reads them back: their hashes are the same.
func TestLines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.Rune(),
			rapid.SampledFrom([]rune("<&>\"\\\u2028\x00"))))
		entry := Entry{
			At: time.UnixMilli(rapid.Int64Range(-1<<40, 1<<42).Draw(t, "at")).UTC(),
			Actor: Actor{
				Kind(text.Draw(t, "kind")), rapid.Int().Draw(t, "number"),
				text.Draw(t, "name"), "a", "b", text.Draw(t, "c"),
			},
			Act: text.Draw(t, "act"), ProgramID: rapid.Int().Draw(t, "program"),
			Subject: Subject{SubjectKind(text.Draw(t, "subject")), text.Draw(t, "id")},
			BankID:  rapid.Int().Draw(t, "bank"),
			Outcome: text.Draw(t, "outcome"), Before: text.Draw(t, "before"),
		}
		s := Sealed{
			Sequence: rapid.IntRange(1, 1<<40).Draw(t, "sequence"),
			Event:    rapid.IntRange(0, 1<<40).Draw(t, "event"),
			Digest:   rapid.SliceOf(rapid.Byte()).Draw(t, "digest"), Entry: entry.Clean(),
		}
		line, err := LineOf(s).Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		read, err := ReadLine(line)
		if err != nil {
			t.Fatal(err)
		}
		back, err := read.Sealed()
		if err != nil || back.LeafHash() != s.LeafHash() {
			t.Fatalf("%s is read as %+v, %v", line, back, err)
		}
	})
}

// TestReadLine rejects lines that Append did not write.
func TestReadLine(t *testing.T) {
	t.Parallel()
	line, err := LineOf(sealedExamples()[1]).Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSuffix(string(line), "\n")
	if _, err := ReadLine([]byte(text)); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{
		"", "{}x", " " + text, text + " ", text + text, strings.ToUpper(text),
		strings.Replace(text, `{"sequence"`, `{"Sequence"`, 1),
		strings.Replace(text, `{"sequence"`, `{"note":"","sequence"`, 1),
		strings.Replace(text, `"act"`, `"act":"/card/get","act"`, 1),
		strings.Replace(text, "é", `\u00e9`, 1),
	} {
		if _, err := ReadLine([]byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// TestClean replaces invalid UTF-8, and nothing else.
func TestClean(t *testing.T) {
	t.Parallel()
	e := Entry{Outcome: "a\xffb", Actor: Actor{Name: "é\x00"}}
	want := Entry{Outcome: "a\uFFFDb", Actor: Actor{Name: "é\x00"}}
	if diff := cmp.Diff(want, e.Clean()); diff != "" {
		t.Error(diff)
	}
}

// TestTree grows trees from every size, and compares their roots with those of package tlog.
func TestTree(t *testing.T) {
	t.Parallel()
	var all []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		var hashes []tlog.Hash
		for _, index := range indexes {
			hashes = append(hashes, all[index])
		}
		return hashes, nil
	})
	random := rand.New(rand.NewPCG(1, 1))
	grown, err := NewTree(0, reader)
	if err != nil {
		t.Fatal(err)
	}
	for size := int64(0); size < 300; size++ {
		leaf := tlog.Hash{byte(random.Int())}
		want, err := tlog.StoredHashesForRecordHash(size, leaf, reader)
		if err != nil {
			t.Fatal(err)
		}
		anew, err := NewTree(size, reader)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, want...)
		root, err := tlog.TreeHash(size+1, reader)
		if err != nil {
			t.Fatal(err)
		}
		for _, tree := range []*Tree{grown, anew} {
			got, err := tree.Append(leaf)
			if err != nil {
				t.Fatal(err)
			}
			rootOf, err := tree.Root()
			if err != nil || rootOf != root || !cmp.Equal(got, want) {
				t.Fatalf("size %d: %v, root %v", size, got, rootOf)
			}
		}
		if len(grown.edge) > 9 {
			t.Errorf("%d hashes at the edge of %d entries", len(grown.edge), size+1)
		}
	}
}
