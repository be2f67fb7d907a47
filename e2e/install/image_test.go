//go:build long

package install

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// entry is a file of an archive.
type entry struct {
	*tar.Header
	content []byte
}

// unpack reads an archive.
func unpack(t *testing.T, text []byte) []entry {
	t.Helper()
	var entries []entry
	archive := tar.NewReader(bytes.NewReader(text))
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry{header, content})
	}
}

// descriptor identifies a blob.
type descriptor struct {
	MediaType   string
	Digest      string
	Size        int
	Platform    struct{ OS, Architecture string }
	Annotations map[string]string
}

// settings configures how an image is started.
type settings struct {
	User, WorkingDir, StopSignal string
	Env, Entrypoint, Cmd         []string
	Volumes, ExposedPorts        map[string]struct{}
}

// image is an OCI layout.
type image struct {
	blobs  map[string][]byte // by digest
	config struct {
		Architecture, OS string
		Config           settings
		RootFS           struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	layer []entry
}

// openImage reads a layout from its archive and verifies the digest of each blob.
func openImage(t *testing.T, path string) image {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	i := image{blobs: make(map[string][]byte)}
	var index struct{ Manifests []descriptor }
	for _, file := range unpack(t, text) {
		digest, blob := strings.CutPrefix(file.Name, "blobs/sha256/")
		switch {
		case blob:
			if digest != fmt.Sprintf("%x", sha256.Sum256(file.content)) {
				t.Errorf("the blob %s has another digest", digest)
			}
			i.blobs["sha256:"+digest] = file.content
		case file.Name == "index.json":
			decode(t, file.content, &index)
		case file.Name != "oci-layout" || !bytes.Contains(file.content, []byte(`"1.0.0"`)):
			t.Errorf("the archive has %s: %s", file.Name, file.content)
		}
	}
	if len(index.Manifests) != 1 {
		t.Fatalf("the images are %+v", index.Manifests)
	}
	platform := index.Manifests[0].Platform
	if platform.OS != "linux" || platform.Architecture != runtime.GOARCH {
		t.Errorf("the platform is %+v", platform)
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	decode(t, i.blob(t, index.Manifests[0]), &manifest)
	decode(t, i.blob(t, manifest.Config), &i.config)
	if len(manifest.Layers) != 1 {
		t.Fatalf("the layers are %+v", manifest.Layers)
	}
	packed, err := gzip.NewReader(bytes.NewReader(i.blob(t, manifest.Layers[0])))
	if err != nil {
		t.Fatal(err)
	}
	layer, err := io.ReadAll(packed)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer))}
	if !slices.Equal(i.config.RootFS.DiffIDs, want) {
		t.Errorf("the configuration names the layers %q, want %q", i.config.RootFS.DiffIDs, want)
	}
	i.layer = unpack(t, layer)
	return i
}

func (i image) blob(t *testing.T, named descriptor) []byte {
	t.Helper()
	text, ok := i.blobs[named.Digest]
	if !ok || len(text) != named.Size {
		t.Fatalf("the blob %+v has %d bytes", named, len(text))
	}
	return text
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// TestImage compares the image with deploy/Containerfile, and checks every file in its layer.
func TestImage(t *testing.T) {
	path, ok := artefact(t, "mintmark-image-*.tar")
	if !ok {
		return
	}
	i := openImage(t, path)
	if i.config.OS != "linux" || i.config.Architecture != runtime.GOARCH {
		t.Errorf("the image is for %s/%s", i.config.OS, i.config.Architecture)
	}
	want := described(t, read(t, "deploy/Containerfile"))
	if diff := cmp.Diff(want, i.config.Config); diff != "" {
		t.Errorf("the Containerfile describes another image (-want +got):\n%s", diff)
	}
	var names []string
	for _, file := range i.layer {
		names = append(names, fmt.Sprintf("%04o %5d %5d %s", file.Mode, file.Uid, file.Gid, file.Name))
	}
	layer := []string{
		"0755     0     0 etc/",
		"0644     0     0 etc/group",
		"0755     0     0 etc/mintmark/",
		"0644     0     0 etc/passwd",
		"0755     0     0 etc/ssl/",
		"0755     0     0 etc/ssl/certs/",
		"0644     0     0 etc/ssl/certs/ca-certificates.crt",
		"0755     0     0 usr/",
		"0755     0     0 usr/bin/",
		"0755     0     0 usr/bin/mintmark",
		"0755     0     0 var/",
		"0755     0     0 var/lib/",
		"0700 65532 65532 var/lib/mintmark/",
	}
	if diff := cmp.Diff(layer, names); diff != "" {
		t.Errorf("the layer (-want +got):\n%s", diff)
	}
}

// described reads the last stage of a Containerfile.
func described(t *testing.T, text string) settings {
	t.Helper()
	_, stage, ok := strings.Cut(text, "\nFROM scratch\n")
	if !ok {
		t.Fatal("the Containerfile has no stage from scratch")
	}
	s := settings{Volumes: map[string]struct{}{}, ExposedPorts: map[string]struct{}{}}
	for line := range strings.Lines(stage) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "ENV":
			s.Env = append(s.Env, rest)
		case "USER":
			s.User = rest
		case "WORKDIR":
			s.WorkingDir = rest
		case "STOPSIGNAL":
			s.StopSignal = rest
		case "VOLUME":
			s.Volumes[rest] = struct{}{}
		case "EXPOSE":
			for _, port := range strings.Fields(rest) {
				s.ExposedPorts[port] = struct{}{}
			}
		case "ENTRYPOINT":
			decode(t, []byte(rest), &s.Entrypoint)
		case "CMD":
			decode(t, []byte(rest), &s.Cmd)
		}
	}
	return s
}

// TestImageRuns starts the program of the image as a container engine does, as far as possible
// without one: with the layer as its root, which is read-only except for the volume, and as its
// user. That takes root, and a system that allows mounts.
func TestImageRuns(t *testing.T) {
	path, ok := artefact(t, "mintmark-image-*.tar")
	if !ok {
		return
	}
	if out, err := exec.Command("unshare", "--mount", "true").CombinedOutput(); err != nil {
		t.Logf("nothing can be mounted here, so the image is not started: %v %s", err, out)
		return
	}
	i := openImage(t, path)
	directory := t.TempDir()
	for _, file := range i.layer {
		inside := filepath.Join(directory, file.Name)
		if file.Typeflag == tar.TypeDir {
			if err := os.Mkdir(inside, 0o755); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(inside, file.content, file.FileInfo().Mode()); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(inside, file.Uid, file.Gid); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(inside, file.FileInfo().Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	const shell = `mount --bind "$1" "$1" || exit 1
mount --bind "$1/var/lib/mintmark" "$1/var/lib/mintmark" || exit 1
mount --options remount,ro,bind "$1" || exit 1
if touch "$1/etc/written" 2>/dev/null; then echo 'the root can be written to'; exit 1; fi
root=$1; shift
exec chroot --userspec=65532:65532 "$root" "$@"`
	inside := func(args ...string) (string, error) {
		line := []string{"--mount", "sh", "-c", shell, "sh", directory}
		line = slices.Concat(line, i.config.Config.Entrypoint, args)
		command := exec.Command("unshare", line...)
		command.Env = []string{"PATH=" + os.Getenv("PATH")} // of mount and chroot
		out, err := command.CombinedOutput()
		return string(out), err
	}
	volume := slices.Collect(maps.Keys(i.config.Config.Volumes))[0]
	for _, act := range [][]string{
		{"version"}, {"init", "--data", volume}, {"doctor", "--data", volume},
	} {
		if out, err := inside(act...); err != nil {
			t.Errorf("%q: %v: %s", act, err, out)
		}
	}
	// Nothing can be created outside the volume.
	if out, err := inside("init", "--data", "/etc/mintmark/data"); err == nil {
		t.Errorf("data are made in the root: %s", out)
	}
}
