// Sbom lists the modules that Mintmark is built from, as CycloneDX. It reads the build information
// that the linker wrote into the program, so the list is that of the program, not of a directory.
//
//	sbom -version 1.2.0 -time SECONDS PROGRAM
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

func main() {
	version := flag.String("version", "", "version of the program")
	seconds := flag.Int64("time", 0, "time of the list, in `seconds` since 1970")
	flag.Parse()
	list, err := read(flag.Arg(0), *version, time.Unix(*seconds, 0).UTC())
	if err == nil {
		err = cdx.NewBOMEncoder(os.Stdout, cdx.BOMFileFormatJSON).SetPretty(true).Encode(list)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// read creates the list of a program.
func read(program, version string, at time.Time) (*cdx.BOM, error) {
	text, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	system := make(map[string]string)
	for _, setting := range info.Settings {
		system[setting.Key] = setting.Value
	}
	digest := sha256.Sum256(text)
	main := cdx.Component{
		BOMRef: "mintmark", Type: cdx.ComponentTypeApplication, Name: "mintmark", Version: version,
		Description: "Mintmark for " + system["GOOS"] + "/" + system["GOARCH"],
		Hashes:      hashes(digest[:]),
		Licenses:    &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
	}
	list := cdx.NewBOM()
	// The number is derived from the program, so that the same program has the same list.
	list.SerialNumber = uuid.NewSHA1(uuid.NameSpaceOID, digest[:]).URN()
	list.Metadata = &cdx.Metadata{Timestamp: at.Format(time.RFC3339), Component: &main}
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	components := []cdx.Component{library("std", goVersion)}
	for _, module := range info.Deps {
		c, err := component(module)
		if err != nil {
			return nil, err
		}
		components = append(components, c)
	}
	if len(components) == 1 {
		return nil, errors.New("the program names no modules")
	}
	list.Components = &components
	needs := make([]string, len(components))
	for i, c := range components {
		needs[i] = c.BOMRef
	}
	list.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &needs}}
	return list, nil
}

// component is a module with the digest of its files, which is also the one in go.sum.
func component(module *debug.Module) (cdx.Component, error) {
	if module.Replace != nil {
		module = module.Replace
	}
	lib := library(module.Path, module.Version)
	sum, ok := strings.CutPrefix(module.Sum, "h1:")
	digest, err := base64.StdEncoding.DecodeString(sum)
	if err != nil || !ok {
		return lib, fmt.Errorf("the module %s has the sum %q", module.Path, module.Sum)
	}
	lib.Hashes = hashes(digest)
	return lib, nil
}

func hashes(digest []byte) *[]cdx.Hash {
	return &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(digest)}}
}

func library(path, version string) cdx.Component {
	address := "pkg:golang/" + path + "@" + version
	return cdx.Component{BOMRef: address, Type: cdx.ComponentTypeLibrary, Name: path,
		Version: version, PackageURL: address}
}
