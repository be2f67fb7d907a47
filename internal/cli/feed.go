package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"mintmark/client/admin"
	"mintmark/internal/base/progress"
)

// Feed sends rows of a core banking system to a service.
type Feed struct {
	Remote
	DryRun bool     `name:"dry-run" help:"Check the rows, print each change, and write nothing."`
	Accept []string `help:"Allow a change that loses data, by the name in the refusal." placeholder:"LOSS"`
	File   string   `arg:"" help:"File with the rows, a JSON object a line; - reads standard input."`
}

// ErrTotals reports that the control totals in a feed differ from those of the stored data.
var ErrTotals = errors.New("the totals differ")

// TotalsError returns ErrTotals if differ is true, otherwise nil.
func TotalsError(differ bool) error {
	if differ {
		return ErrTotals
	}
	return nil
}

// Run sends the rows and prints the result. There is no timeout.
func (f Feed) Run(ctx context.Context, t Terminal) error {
	request := pathOf("feed", query("accept", strings.Join(f.Accept, ",")))
	request.DryRun = f.DryRun
	text, err := f.sendRows(ctx, t, f.File, request)
	if err != nil {
		return err
	}
	report, err := printed[admin.FeedReport](f.Remote, t, text)
	if err != nil {
		return err
	}
	PrintApplied(t, f.DryRun, report.Source, report.Sequence, report.After, report.Repeated)
	return TotalsError(report.Totals != nil && report.Totals.Differ)
}

// sendRows sends the rows in a file, or in standard input for -, and returns the body of the
// response.
func (r Remote) sendRows(
	ctx context.Context, t Terminal, name string, request admin.Request,
) ([]byte, error) {
	rows, length, err := openRows(t, name)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	client, err := r.client()
	if err != nil {
		return nil, err
	}
	request.Method = "POST"
	ctx, end := progress.Show(ctx, t.Err, "bytes")
	defer end()
	progress.Expect(ctx, length)
	request.Long, request.Length = progress.Reader(ctx, rows), length
	request.FileType = cmp.Or(request.FileType, "application/x-ndjson")
	body, err := client.Open(ctx, request)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, fmt.Errorf("%w: it was cut off: %w", admin.ErrBrokenAnswer, err)
	}
	return text, nil
}

// printed prints a response and returns it decoded.
func printed[A any](r Remote, t Terminal, text []byte) (answer A, err error) {
	if err := json.Unmarshal(text, &answer); err != nil {
		return answer, fmt.Errorf("%w: %w", admin.ErrBrokenAnswer, err)
	}
	return answer, r.print(t, admin.Answer{Body: text})
}

// openRows opens a file of rows and returns its length, which the request must state. Input without
// a known length is read into memory first.
func openRows(t Terminal, name string) (io.ReadCloser, int64, error) {
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, 0, newUsageError("%w", err)
		}
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			return file, info.Size(), nil
		}
		defer file.Close()
		t.In = file
	}
	text, err := io.ReadAll(t.In)
	if err != nil {
		return nil, 0, newUsageError("%w", err)
	}
	return io.NopCloser(bytes.NewReader(text)), int64(len(text)), nil
}

// PrintApplied prints what happened to a file from a source, or in a dry run what would happen.
func PrintApplied(t Terminal, dryRun bool, source string, sequence, after int, repeated bool) {
	switch {
	case repeated:
		t.say("%s %d was applied before; nothing was written.", source, sequence)
	case dryRun:
		t.say("%s %d can be applied; nothing was written.", source, sequence)
	case after > 0:
		t.say("%s %d is applied; it continued after line %d.", source, sequence, after)
	default:
		t.say("%s %d is applied.", source, sequence)
	}
}
