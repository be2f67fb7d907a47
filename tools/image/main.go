// Image builds an OCI image of Mintmark without a container engine: a layout in a tar archive, with
// one layer. The same program and the same time yield the same bytes.
//
//	image -program FILE -arch amd64 -version 1.2.0 -commit 0123abcd -time SECONDS -out FILE
//
// deploy/Containerfile describes the same image for an engine; a test compares them.
package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is the id that the program runs as: a number without a meaning on the host.
const user = 65532

// image holds the flags.
type image struct {
	program, arch, version, commit, out string
	at                                  time.Time
}

func main() {
	var i image
	var seconds int64
	flag.StringVar(&i.program, "program", "", "`file` of the program")
	flag.StringVar(&i.arch, "arch", "amd64", "architecture")
	flag.StringVar(&i.version, "version", "", "version")
	flag.StringVar(&i.commit, "commit", "", "commit")
	flag.Int64Var(&seconds, "time", 0, "time of everything in the image, in `seconds` since 1970")
	flag.StringVar(&i.out, "out", "", "`file` to write")
	flag.Parse()
	i.at = time.Unix(seconds, 0).UTC()
	if err := i.write(); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// write creates the layout in a directory, and the archive from it.
func (i image) write() error {
	layer, err := i.layer()
	if err != nil {
		return err
	}
	image, err := mutate.Append(mutate.MediaType(mutate.ConfigMediaType(empty.Image,
		types.OCIConfigJSON), types.OCIManifestSchema1), mutate.Addendum{
		Layer: layer, MediaType: types.OCILayer,
		History: v1.History{Created: v1.Time{Time: i.at}, CreatedBy: "mintmark tools/image"},
	})
	if err != nil {
		return err
	}
	file, err := image.ConfigFile()
	if err != nil {
		return err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Created = "linux", i.arch, v1.Time{Time: i.at}
	file.Config = i.config()
	image, err = mutate.ConfigFile(image, file)
	if err != nil {
		return err
	}
	directory, err := os.MkdirTemp("", "mintmark-image")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	written, err := layout.Write(directory, empty.Index)
	if err != nil {
		return err
	}
	// A tag may not contain a plus sign.
	name := "mintmark:" + strings.ReplaceAll(i.version, "+", "-")
	err = written.AppendImage(image,
		layout.WithPlatform(v1.Platform{OS: "linux", Architecture: i.arch}),
		layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": name}))
	if err != nil {
		return err
	}
	return i.pack(directory)
}

// config returns how the program is started.
func (i image) config() v1.Config {
	return v1.Config{
		User:         fmt.Sprintf("%d:%d", user, user),
		Entrypoint:   []string{"/usr/bin/mintmark"},
		Cmd:          []string{"serve", "--config", "/etc/mintmark/mintmark.yaml"},
		Env:          []string{"PATH=/usr/bin"},
		WorkingDir:   "/",
		StopSignal:   "SIGTERM",
		Volumes:      map[string]struct{}{"/var/lib/mintmark": {}},
		ExposedPorts: map[string]struct{}{"8443/tcp": {}, "8081/tcp": {}},
		Labels: map[string]string{
			"org.opencontainers.image.title":    "Mintmark",
			"org.opencontainers.image.version":  i.version,
			"org.opencontainers.image.revision": i.commit,
			"org.opencontainers.image.licenses": "Apache-2.0",
			"org.opencontainers.image.created":  i.at.Format(time.RFC3339),
		},
	}
}

// layer contains the program, the certificate authorities that it trusts, its user, and its data
// directory.
func (i image) layer() (v1.Layer, error) {
	program, err := os.ReadFile(i.program)
	if err != nil {
		return nil, err
	}
	roots, err := authorities()
	if err != nil {
		return nil, err
	}
	passwd := fmt.Sprintf("mintmark:x:%d:%d:Mintmark:/var/lib/mintmark:/sbin/nologin\n", user, user)
	group := fmt.Sprintf("mintmark:x:%d:\n", user)
	var text bytes.Buffer
	archive := tar.NewWriter(&text)
	for _, entry := range []struct {
		name    string
		mode    int64
		owner   int
		content []byte // nil for a directory
	}{
		{"etc/", 0o755, 0, nil},
		{"etc/group", 0o644, 0, []byte(group)},
		{"etc/mintmark/", 0o755, 0, nil},
		{"etc/passwd", 0o644, 0, []byte(passwd)},
		{"etc/ssl/", 0o755, 0, nil},
		{"etc/ssl/certs/", 0o755, 0, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, 0, roots},
		{"usr/", 0o755, 0, nil},
		{"usr/bin/", 0o755, 0, nil},
		{"usr/bin/mintmark", 0o755, 0, program},
		{"var/", 0o755, 0, nil},
		{"var/lib/", 0o755, 0, nil},
		{"var/lib/mintmark/", 0o700, user, nil},
	} {
		header := &tar.Header{Name: entry.name, Mode: entry.mode, Uid: entry.owner, Gid: entry.owner,
			Size: int64(len(entry.content)), ModTime: i.at, Format: tar.FormatUSTAR}
		header.Typeflag = tar.TypeReg
		if entry.content == nil {
			header.Typeflag = tar.TypeDir
		}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(entry.content); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(text.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
}

// authorities returns Mozilla's certificate authorities, of a version pinned by go.sum; those of
// the build machine could differ. An authority trusted for only some of its certificates is left
// out: a PEM list cannot express that.
func authorities() ([]byte, error) {
	var list bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		certificate := &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}
		if err := pem.Encode(&list, certificate); err != nil {
			return nil, err
		}
	}
	return list.Bytes(), nil
}

// pack writes the files of a directory into the archive, sorted by name.
func (i image) pack(directory string) error {
	var text bytes.Buffer
	archive := tar.NewWriter(&text)
	err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(directory, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		err = archive.WriteHeader(&tar.Header{
			Name: filepath.ToSlash(name), Mode: 0o644, Size: int64(len(content)), ModTime: i.at,
			Typeflag: tar.TypeReg, Format: tar.FormatUSTAR,
		})
		if err != nil {
			return err
		}
		_, err = archive.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return os.WriteFile(i.out, text.Bytes(), 0o644)
}
