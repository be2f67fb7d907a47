//go:build long

package install

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestModules compares the list of modules with the imports of the program.
func TestModules(t *testing.T) {
	path, ok := artefact(t, "mintmark-linux-*.cdx.json")
	if !ok {
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		BOMFormat, SpecVersion, SerialNumber string
		Metadata                             struct {
			Timestamp time.Time
			Component component
		}
		Components   []component
		Dependencies []struct{ DependsOn []string }
	}
	decode(t, text, &list)
	if list.BOMFormat != "CycloneDX" || list.SpecVersion == "" ||
		!strings.HasPrefix(list.SerialNumber, "urn:uuid:") {
		t.Errorf("the form is %s %s %s", list.BOMFormat, list.SpecVersion, list.SerialNumber)
	}
	var names []string
	for _, component := range list.Components {
		names = append(names, strings.TrimPrefix(component.PURL, "pkg:golang/"))
		if component.Name+"@"+component.Version != names[len(names)-1] {
			t.Errorf("%s %s has the address %s", component.Name, component.Version, component.PURL)
		}
		if component.Name != "std" && (len(component.Hashes) != 1 || len(component.Hashes[0].Content) != 64) {
			t.Errorf("%s has the digests %+v", component.Name, component.Hashes)
		}
	}
	slices.Sort(names)
	if diff := cmp.Diff(imported(t), names); diff != "" {
		t.Errorf("modules of the program (-imported +listed):\n%s", diff)
	}
	if len(list.Dependencies) != 1 || len(list.Dependencies[0].DependsOn) != len(names) {
		t.Errorf("the program needs %+v", list.Dependencies)
	}
	program, err := os.ReadFile(strings.TrimSuffix(path, ".cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	digests := list.Metadata.Component.Hashes
	if want := fmt.Sprintf("%x", sha256.Sum256(program)); len(digests) != 1 ||
		digests[0].Content != want {
		t.Errorf("the list is of the program %+v, want %s", digests, want)
	}
}

// component is one entry of the list.
type component struct {
	Name, Version, PURL string
	Hashes              []struct{ Alg, Content string }
}

// imported returns the modules that the program consists of. The version of Go is that of
// tools/go.mod, which scripts/dist builds with.
func imported(t *testing.T) []string {
	t.Helper()
	const form = `{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}{{end}}{{end}}`
	command := exec.Command("go", "list", "-deps", "-f", form, "./cmd/mintmark")
	command.Dir = root
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(read(t, "tools/go.mod"))
	modules := append(strings.Fields(string(out)), "std@"+version[1])
	slices.Sort(modules)
	return slices.Compact(modules)
}
