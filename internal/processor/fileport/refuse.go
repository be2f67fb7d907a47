package fileport

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"mintmark/internal/processor/folder"
	"mintmark/internal/processor/message"
)

// refuse moves a file to bad/, with its reason beside it. It leaves a file whose problem may go
// away where it is until the file has rested. It writes the reason first: if the process is killed
// in between, the file is refused again.
func (p *Port) refuse(ctx context.Context, name string, refused *refusal) error {
	if refused.retryable {
		rested, err := p.rested(name)
		if err != nil || !rested {
			return err
		}
	}
	as, err := p.freeName(name)
	if err != nil {
		return err
	}
	err = p.folder.Write(folder.Bad, as+".why", []byte(refused.why+"\n"))
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(refused.why, "\n")
	p.log.WarnContext(ctx, "reports refused", "file", name, "why", first)
	return p.folder.Move(name, folder.Bad, as)
}

// rested reports whether a file has not changed since an earlier look at least Rest ago. Its
// modification time alone is no proof, because programs that copy files set it back.
func (p *Port) rested(name string) (bool, error) {
	info, err := os.Stat(p.folder.Path(folder.In, name))
	if err != nil {
		return false, err
	}
	before, known := p.seen[name]
	if !known || before.size != info.Size() || !before.changed.Equal(info.ModTime()) {
		p.seen[name] = observation{size: info.Size(), changed: info.ModTime(), first: p.now()}
		return false, nil
	}
	return p.now().Sub(before.first) >= Rest, nil
}

// forget deletes the looks at files that are gone.
func (p *Port) forget(there []int) {
	names := map[string]bool{}
	for _, number := range there {
		names[message.FileName(message.ReportFiles, number)] = true
	}
	for name := range p.seen {
		if !names[name] {
			delete(p.seen, name)
		}
	}
}

// freeName returns an unused name in bad/, because a number may be refused more than once.
func (p *Port) freeName(name string) (string, error) {
	const most = 10_000
	stem := strings.TrimSuffix(name, ".jsonl")
	for i := range most {
		as := name
		if i > 0 {
			as = fmt.Sprintf("%s.%d.jsonl", stem, i+1)
		}
		_, err := os.Lstat(p.folder.Path(folder.Bad, as))
		if errors.Is(err, fs.ErrNotExist) {
			return as, nil
		}
		if err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("%s was refused %d times: clear the folder %s", name, most, folder.Bad)
}
