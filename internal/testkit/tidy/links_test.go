package tidy

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
)

// TestLinks checks that the links between the documents have targets.
func TestLinks(t *testing.T) {
	for _, name := range projectFiles(t) {
		if path.Ext(name) == ".md" {
			report(t, checkLinks(os.DirFS(root), name, readFile(t, name)))
		}
	}
}

// TestFilesAreNamed checks that each Go file that a document names exists; the name is the end of
// its path.
func TestFilesAreNamed(t *testing.T) {
	files := projectFiles(t)
	for _, name := range files {
		if path.Ext(name) == ".md" {
			report(t, checkNamed(name, readFile(t, name), files))
		}
	}
}

func TestNamedFilesAreChecked(t *testing.T) {
	expect(t, checkNamed("a.md", "`b/c.go` `c.go`, f\n`d.go` `*_test.go` `e/c.go` c.go",
		[]string{"a/b/c.go"}),
		"a.md:2: there is no d.go", "a.md:2: there is no e/c.go")
}

var namedFile = regexp.MustCompile("`([\\w./-]+\\.go)`")

func checkNamed(name, text string, files []string) []string {
	var findings []string
	number := 0
	for line := range strings.Lines(text) {
		number++
		for _, match := range namedFile.FindAllStringSubmatch(line, -1) {
			ends := func(file string) bool { return strings.HasSuffix("/"+file, "/"+match[1]) }
			if !slices.ContainsFunc(files, ends) {
				findings = append(findings, fmt.Sprintf("%s:%d: there is no %s", name, number, match[1]))
			}
		}
	}
	return findings
}

// TestTestsAreNamed checks that each test that a document names exists.
func TestTestsAreNamed(t *testing.T) {
	var tests strings.Builder
	for _, s := range goSources(t) {
		if strings.HasSuffix(s.path, "_test.go") {
			tests.WriteString(s.text)
		}
	}
	for _, name := range projectFiles(t) {
		if path.Ext(name) == ".md" {
			report(t, checkTests(name, readFile(t, name), tests.String()))
		}
	}
}

func TestNamedTestsAreChecked(t *testing.T) {
	expect(t, checkTests("a.md", "`TestA`, `TestB` and TestC", "func TestA(t *testing.T) {"),
		"a.md: there is no TestB")
}

var namedTest = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w*)`")

func checkTests(name, text, tests string) []string {
	var findings []string
	for _, match := range namedTest.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(tests, "func "+match[1]+"(") {
			findings = append(findings, fmt.Sprintf("%s: there is no %s", name, match[1]))
		}
	}
	return findings
}

// TestLinksOfThePackage checks the links of the documents in the layout of the Debian package.
func TestLinksOfThePackage(t *testing.T) {
	entry := regexp.MustCompile(`src: "?([^",]+)"?, dst: /usr/share/doc/mintmark[/,]`)
	packaged := fstest.MapFS{}
	for _, match := range entry.FindAllStringSubmatch(readFile(t, "deploy/deb/nfpm.yaml"), -1) {
		directory, whole := strings.CutSuffix(match[1], "**")
		for _, name := range projectFiles(t) {
			fits, err := path.Match(match[1], name)
			if err != nil {
				t.Fatal(err)
			}
			if fits || whole && strings.HasPrefix(name, directory) {
				packaged[name] = &fstest.MapFile{Data: []byte(readFile(t, name))}
			}
		}
	}
	if len(packaged) < 50 {
		t.Fatalf("the package has %d documents", len(packaged))
	}
	for name, file := range packaged {
		if path.Ext(name) == ".md" {
			report(t, checkLinks(packaged, name, string(file.Data)))
		}
	}
}

// TestPagesAreListed checks that docs/README.md links to each page.
func TestPagesAreListed(t *testing.T) {
	const list = "docs/README.md"
	report(t, checkListed(list, readFile(t, list), projectFiles(t)))
}

func TestListedPagesAreChecked(t *testing.T) {
	expect(t, checkListed("docs/README.md", "[a](a.md) [b](b/c.md)",
		[]string{"a.md", "docs/README.md", "docs/a.md", "docs/b/c.md", "docs/b/d.md", "docs/e.go"}),
		"docs/README.md has no link to b/d.md")
}

func checkListed(list, text string, files []string) []string {
	var findings []string
	for _, name := range files {
		page, ok := strings.CutPrefix(name, path.Dir(list)+"/")
		if ok && name != list && path.Ext(page) == ".md" && !strings.Contains(text, "]("+page+")") {
			findings = append(findings, list+" has no link to "+page)
		}
	}
	return findings
}

func TestLinksAreChecked(t *testing.T) {
	other := "# A `code` heading, [linked](x.md)\n\n## Twice\n## Twice\n\n" +
		"```sh\n# no heading\n```\n<a id=\"by-hand\"></a>\n"
	files := fstest.MapFS{"docs/other.md": {Data: []byte(other)}, "LICENSE": {}}
	expect(t, checkLinks(files, "docs/a.md", strings.Join([]string{
		"# Own",
		"[a](other.md) [b](other.md#a-code-heading-linked) [c](#own) [d](../LICENSE \"title\")",
		"[e](other.md#twice-1) [f](other.md#by-hand) [g](https://example.com/x) [h](../docs)",
		"[a](gone.md)", "[a](other.md#gone) and [b](#other)", "[a](other.md#no-heading)",
		"[a](../../outside.md)", "[a](/docs/other.md)", "`[a](gone.md)`", "[ref]: gone.md",
		"```", "[a](gone.md)", "```",
	}, "\n")),
		"docs/a.md:4: the link gone.md leads to no file",
		"docs/a.md:5: the link other.md#gone leads to no heading",
		"docs/a.md:5: the link #other leads to no heading",
		"docs/a.md:6: the link other.md#no-heading leads to no heading",
		"docs/a.md:7: the link ../../outside.md leads to no file",
		"docs/a.md:8: the link /docs/other.md leads to no file",
		"docs/a.md:10: the link gone.md leads to no file")
}

var (
	link = regexp.MustCompile(
		`\]\(\s*<?([^()\s<>]+)>?(?:\s+"[^"]*")?\s*\)|^ {0,3}\[[^\]]+\]:\s*<?([^\s<>]+)`)
	code     = regexp.MustCompile("`[^`]*`")
	scheme   = regexp.MustCompile(`^[a-z]+:`)
	heading  = regexp.MustCompile(`^#{1,6}\s+(.*?)\s*#*$`)
	anchor   = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
	linkText = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// checkLinks checks each link of a document to a local file.
func checkLinks(files fs.FS, name, text string) []string {
	var findings []string
	for i, line := range prose(text) {
		for _, match := range link.FindAllStringSubmatch(code.ReplaceAllString(line, ""), -1) {
			target := match[1] + match[2]
			if scheme.MatchString(target) {
				continue
			}
			missing := follow(files, name, text, target)
			if missing != "" {
				findings = append(findings, fmt.Sprintf("%s:%d: the link %s leads to no %s",
					name, i+1, target, missing))
			}
		}
	}
	return findings
}

// follow returns the kind of target that a link lacks, or "".
func follow(files fs.FS, name, text, target string) string {
	address, err := url.Parse(target)
	if err != nil || path.IsAbs(address.Path) {
		return "file"
	}
	if address.Path != "" {
		there := path.Join(path.Dir(name), address.Path)
		_, err = fs.Stat(files, there)
		if err != nil {
			return "file"
		}
		if address.Fragment == "" {
			return ""
		}
		content, err := fs.ReadFile(files, there)
		if err != nil {
			return "file"
		}
		text = string(content)
	}
	if !anchors(text)[address.Fragment] {
		return "heading"
	}
	return ""
}

// prose returns the lines of a document, with the lines of code blocks emptied.
func prose(text string) []string {
	lines := strings.Split(text, "\n")
	inCode := false
	for i, line := range lines {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fence || inCode {
			lines[i] = ""
		}
		inCode = inCode != fence
	}
	return lines
}

// anchors returns the anchors that GitHub generates for a document.
func anchors(text string) map[string]bool {
	names := make(map[string]bool)
	for _, line := range prose(text) {
		for _, match := range anchor.FindAllStringSubmatch(line, -1) {
			names[match[1]] = true
		}
		match := heading.FindStringSubmatch(line)
		if match == nil {
			continue
		}
		name := slug(match[1])
		for i := 1; names[name]; i++ {
			name = fmt.Sprintf("%s-%d", slug(match[1]), i)
		}
		names[name] = true
	}
	return names
}

// slug returns the anchor of a heading: lower case, hyphens for spaces, no punctuation.
func slug(heading string) string {
	text := linkText.ReplaceAllString(heading, "$1")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
