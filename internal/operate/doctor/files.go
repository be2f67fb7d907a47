package doctor

import (
	"context"
	"crypto/tls"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"mintmark/internal/base/platform"
	"mintmark/internal/vault"
)

// directory examines the data directory and the modes of the database files. It reports whether the
// directory exists.
func (r *Report) directory(p Installation) bool {
	f := Finding{Name: "data directory", Result: OK, Found: p.Data + " is private"}
	about, err := os.Stat(p.Data)
	if err == nil && !about.IsDir() {
		err = fmt.Errorf("%s is not a directory", p.Data)
	}
	if err != nil {
		f.Result, f.Found = Failed, err.Error()
		f.Why = "it holds the keys and the embedded database"
		r.add(f)
		return false
	}
	var others []string
	entries, err := os.ReadDir(p.Data)
	if err != nil {
		f.Result, f.Found, f.Cure = Failed, err.Error(), "run doctor as the user of the server"
		r.add(f)
		return true
	}
	for _, entry := range entries {
		about, err := entry.Info()
		if err == nil && strings.HasPrefix(entry.Name(), p.File) && open(about) {
			others = append(others,
				fmt.Sprintf("%s has mode %04o", entry.Name(), about.Mode().Perm()))
		}
	}
	switch {
	case len(others) > 0:
		f.Result, f.Found = Failed, strings.Join(others, ", ")
		f.Cure = "chmod 600 these files, and treat copies made meanwhile as exposed"
	case open(about):
		f.Result, f.Found = Warning, fmt.Sprintf("%s has mode %04o", p.Data, about.Mode().Perm())
		f.Cure = "chmod 700 " + p.Data
	}
	r.add(f)
	return true
}

// open reports whether users other than the owner have any permission.
func open(about fs.FileInfo) bool { return platform.Exposed(about, 0o077) }

// keys reads the key files and fails if other users can read them. It reports whether the keys are
// usable.
func (r *Report) keys(p Installation) bool {
	if err := vault.Check(p.Keys); err != nil {
		f := Finding{Name: "keys", Result: Failed, Found: err.Error()}
		if exposed := vault.Exposed(p.Keys.Dir); len(exposed) > 0 && !p.Keys.AllowReadable {
			f.Cure = "chmod 600 " + strings.Join(exposed, " ") +
				", and treat copies made meanwhile as exposed"
		}
		r.add(f)
		return false
	}
	r.find("keys", OK, "the key files can be read")
	return true
}

// backup authenticates a backup.
func (r *Report) backup(ctx context.Context, p Installation) {
	if p.Backup == nil {
		return
	}
	described, err := p.Backup(ctx)
	if err != nil {
		r.find("backup", Failed, "%v", err)
		return
	}
	r.find("backup", OK, "%s", described)
}

// insecure warns about weaknesses that the settings accept.
func (r *Report) insecure(p Installation) {
	taken := slices.Clone(p.Warnings)
	for _, path := range p.Exposed {
		taken = append(taken, path+" can be accessed by users other than its owner")
	}
	for _, what := range taken {
		r.find("insecure", Warning, "%s", what)
	}
}

// The amounts of free disk space, in bytes, below which there is a warning or a failure.
const (
	fewBytes    = 1 << 30
	tooFewBytes = 64 << 20
)

func (r *Report) space(p Installation) {
	f := Finding{Name: "disk space", Result: OK}
	free, err := platform.FreeBytes(p.Data)
	if err != nil {
		f.Result, f.Found = Failed, err.Error()
		r.add(f)
		return
	}
	f.Found = fmt.Sprintf("%d MiB are free", free>>20)
	switch {
	case free < tooFewBytes:
		f.Result = Failed
	case free < fewBytes:
		f.Result = Warning
	}
	r.add(f)
}

// fewFiles is the divisor of a disk's number of files that gives the minimum number of free ones.
const fewFiles = 20

func (r *Report) inodes(p Installation) {
	free, all, err := platform.FreeFiles(p.Data)
	result := OK
	switch {
	case err != nil:
		r.find("inodes", Failed, "%v", err)
		return
	case all > 0 && free == 0:
		result = Failed
	case free < all/fewFiles:
		result = Warning
	}
	r.find("inodes", result, "%d of %d files are free", free, all)
}

// unfinished checks for the remains of an interrupted restore.
func (r *Report) unfinished(p Installation) {
	left := p.path(p.File) + ".restoring"
	if _, err := os.Lstat(left); err == nil {
		r.find("unfinished restore", Warning, "%s is there", left)
		return
	}
	r.find("unfinished restore", OK, "there is none")
}

// renewTime is the time before its end at which a certificate should be renewed.
const renewTime = 14 * 24 * time.Hour

func (r *Report) certificate(p Installation) {
	if p.TLSCert == "" && p.TLSKey == "" {
		return
	}
	f := Finding{Name: "certificate", Result: OK}
	pair, err := tls.LoadX509KeyPair(p.TLSCert, p.TLSKey)
	if err != nil {
		f.Result, f.Found = Failed, err.Error()
		r.add(f)
		return
	}
	end := pair.Leaf.NotAfter
	f.Found = fmt.Sprintf("%s is valid until %s", p.TLSCert, end.UTC().Format(time.DateTime))
	switch {
	case p.Now.After(end), p.Now.Before(pair.Leaf.NotBefore):
		f.Result = Failed
		f.Found = fmt.Sprintf("%s is valid only from %s to %s", p.TLSCert,
			pair.Leaf.NotBefore.UTC().Format(time.DateTime), end.UTC().Format(time.DateTime))
	case end.Sub(p.Now) < renewTime:
		f.Result = Warning
	}
	r.add(f)
}
