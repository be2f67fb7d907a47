package tidy

import (
	"context"
	"crypto/rand"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/testkit/testworld"
)

// TestWalk locks a card and compares the calls from the act to the UPDATE with their list in
// ARCHITECTURE.md, each as "file function".
func TestWalk(t *testing.T) {
	engine, err := sqlite.OpenMemory(t.Context(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var walk []string
	kept := cached.New(sqlstore.New(tracedEngine{engine, &walk}), engine, cached.DefaultBytes)
	t.Cleanup(func() { _ = kept.Close() })
	keys := testworld.Keys(t)
	testworld.WriteDemo(t, kept)
	service := acts.New(kept, keys, issuing.Settings{Mode: card.Production, Random: rand.Reader})
	caller := issuing.Caller{Actor: audit.Actor{Kind: audit.APIKey, Name: "a"}, ProgramID: 1}
	_, err = service.Cards.Lock(t.Context(), caller, cards.LockRequest{
		CardRef: issuing.CardRef{CustomerID: 1001, CardID: 5001}, LockReasonTypeCode: "TMP",
	})
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(readFile(t, "ARCHITECTURE.md"), "```walk\n")
	list, _, _ = strings.Cut(list, "```")
	want := strings.Split(strings.TrimSpace(list), "\n")
	if diff := cmp.Diff(want, walk); diff != "" {
		t.Errorf("the walk of a lock (-ARCHITECTURE.md +run):\n%s\nIt is:\n%s", diff,
			strings.Join(walk, "\n"))
	}
}

// tracedEngine records the calls that lead to the UPDATE of a card's lock.
type tracedEngine struct {
	db.Engine
	walk *[]string
}

func (e tracedEngine) Update(ctx context.Context, fn func(db.Session) error) error {
	return e.Engine.Update(ctx, func(s db.Session) error { return fn(tracedSession{s, e.walk}) })
}

type tracedSession struct {
	db.Session
	walk *[]string
}

func (s tracedSession) Change(text string, args ...any) error {
	if strings.HasPrefix(text, "UPDATE cards SET lock_type") {
		*s.walk = calls()
	}
	return s.Session.Change(text, args...)
}

// plain removes the notation of pointers and type parameters from the name of a function, as in
// Service.Lock and Write.
var plain = strings.NewReplacer("(*", "", ")", "", "[...]", "")

// calls returns the current call stack within packages of the program, outermost first.
func calls() []string {
	const most = 100
	counters := make([]uintptr, most)
	frames := runtime.CallersFrames(counters[:runtime.Callers(0, counters)])
	var walk []string
	for {
		frame, more := frames.Next()
		_, file, inside := strings.Cut(frame.Function, "mintmark/internal/")
		if inside && !strings.HasPrefix(file, "testkit/") {
			slash := strings.LastIndexByte(file, '/')
			folder, function, _ := strings.Cut(file[slash+1:], ".")
			name := frame.File[strings.LastIndexByte(frame.File, '/')+1:]
			call := file[:slash+1] + folder + "/" + name + " " + plain.Replace(function)
			walk = append([]string{call}, walk...)
		}
		if !more {
			return walk
		}
	}
}
