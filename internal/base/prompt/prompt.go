// Package prompt asks a person at a terminal for something that must stay hidden: a passphrase, a
// card number. Its callers decide what to do with the answer.
package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"golang.org/x/term"
)

// ErrUnanswered: a person has canceled the question, or can no longer answer it. A command then
// does nothing.
var ErrUnanswered = errors.New("it was not entered")

// The reasons why a question stays unanswered.
var (
	errEnded       = fmt.Errorf("%w: end of input", ErrUnanswered)
	errInterrupted = fmt.Errorf("%w: interrupted", ErrUnanswered)
)

// longest is the maximum length of an answer, in bytes.
const longest = 4096

// Keys with an effect. A terminal without echo needs no other editing keys.
const (
	ctrlC     = 3
	ctrlD     = 4
	backspace = 8
	ctrlU     = 21
	del       = 127
)

// Hidden asks a question on a terminal and returns the line that the person types, without showing
// it. It returns ErrUnanswered at the end of the input (Ctrl-D on an empty line), at Ctrl-C, and
// when the terminal closes or the context ends. It restores the terminal in each case. The caller
// owns the answer.
//
// Hidden reads the keys instead of leaving them to the terminal, because a signal, such as that of
// Ctrl-C, does not end a blocked read.
func Hidden(
	ctx context.Context, terminal *os.File, out io.Writer, question string,
) ([]byte, error) {
	number := int(terminal.Fd())
	before, err := term.MakeRaw(number)
	if err != nil {
		return nil, fmt.Errorf("prompt on the terminal: %w", err)
	}
	fmt.Fprint(out, question)
	typed, err := untilDone(ctx, terminal)
	if failed := term.Restore(number, before); err == nil && failed != nil {
		clear(typed)
		err = fmt.Errorf("restore the terminal: %w", failed)
	}
	fmt.Fprintln(out)
	if err != nil {
		return nil, err
	}
	return typed, nil
}

// untilDone reads a line until the context ends. The read itself cannot be canceled: it consumes
// what is typed next, which is harmless in a program that ends.
func untilDone(ctx context.Context, from io.Reader) ([]byte, error) {
	type answer struct {
		typed []byte
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		typed, err := line(from)
		done <- answer{typed, err}
	}()
	select {
	case a := <-done:
		return a.typed, a.err
	case <-ctx.Done():
		return nil, errInterrupted
	}
}

// line reads the keys of a line, one at a time: what follows it belongs to the next question. The
// answer never moves in memory, so that it can be cleared.
func line(from io.Reader) ([]byte, error) {
	typed, key := make([]byte, 0, longest), make([]byte, 1)
	for {
		read, err := from.Read(key)
		if err == nil && read == 0 {
			continue
		}
		if err != nil {
			clear(typed)
			if err == io.EOF {
				return nil, errEnded
			}
			return nil, fmt.Errorf("%w: %v", ErrUnanswered, err) // the terminal was closed
		}
		switch key[0] {
		case '\r', '\n':
			return typed, nil
		case ctrlC:
			clear(typed)
			return nil, errInterrupted
		case ctrlD:
			if len(typed) == 0 {
				return nil, errEnded
			}
		case backspace, del:
			_, size := utf8.DecodeLastRune(typed)
			typed = typed[:len(typed)-size]
		case ctrlU:
			typed = typed[:0]
		default:
			if len(typed) == longest {
				clear(typed)
				return nil, fmt.Errorf("it is longer than %d bytes", longest)
			}
			typed = append(typed, key[0])
		}
	}
}
