// Texts prints every text of the program that a person may see, with its position: literals of Go
// with two words or more, the help of commands, and the words of templates. With -broken it prints
// only those that break a rule of CONTRIBUTING ("Style"), with the rule, and exits with 1 when
// there is one.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// root is the root directory of the project, relative to the module of the tools.
const root = ".."

// folders lists the folders with texts for people.
var folders = []string{
	"cmd/mintmark", "internal/app", "internal/auditlog", "internal/base", "internal/cli",
	"internal/delivery", "internal/domain", "internal/face", "internal/importer",
	"internal/issuing", "internal/operate", "internal/processor", "internal/store",
	"internal/vault",
}

// leftOut lists the folders whose texts are fixed by the callers' interface, and those of tests.
var leftOut = []string{
	"internal/domain/fault", "internal/face/jsonbody", "internal/cli/ledger",
	"internal/store/storetest",
}

// rules maps forbidden phrases to their replacements.
var rules = []struct {
	broken *regexp.Regexp
	cure   string
}{
	{regexp.MustCompile(`(^|[^e] |[^r]e )(is|are|was) no [a-zA-Z]`), "say \"is not a ...\" or \"is not valid ...\""},
	{regexp.MustCompile(`(?i)\b(nobody|somebody|whoever|anybody)\b`), "name the person: operator, caller, requester, receiver"},
	{regexp.MustCompile(`(^|[.:] )(What|Who) [^?]*$`), "begin with the thing or the person"},
	{regexp.MustCompile(`\b(is|are) known here\b`), "say \"unknown\""},
	{regexp.MustCompile(`(?i)\bfor ever\b|\banew\b|\bbeforehand\b`), "say \"permanently\", \"again\", \"before\""},
	{regexp.MustCompile(`(?i)\b(has|have) (asked|begun) for it\b`), "say \"the requester\""},
}

// text is a literal, or the words between tags of a template.
type text struct {
	place string // file:line
	words string
}

func main() {
	log.SetFlags(0)
	broken := flag.Bool("broken", false, "print the texts that break a rule, with the rule")
	flag.Parse()
	all, err := find()
	if err != nil {
		log.Fatal(err)
	}
	count := 0
	for _, t := range all {
		if !*broken {
			fmt.Printf("%s: %s\n", t.place, t.words)
			continue
		}
		for _, r := range rules {
			if r.broken.MatchString(t.words) {
				fmt.Printf("%s: %s\n\t%s\n", t.place, t.words, r.cure)
				count++
				break
			}
		}
	}
	fmt.Fprintf(os.Stderr, "%d texts, %d broken\n", len(all), count)
	if count > 0 {
		os.Exit(1)
	}
}

func find() ([]text, error) {
	var all []text
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			name := strings.TrimPrefix(path, root+"/")
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || slices.Contains(leftOut, name)):
				return fs.SkipDir
			case strings.HasSuffix(path, "_test.go"):
				return nil
			case strings.HasSuffix(path, ".go"):
				texts, err := inGo(path, name)
				all = append(all, texts...)
				return err
			case strings.HasSuffix(path, ".html"):
				texts, err := inTemplate(path, name)
				all = append(all, texts...)
				return err
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// inGo returns the literals of a file, with concatenated ones as one, and the help in its tags.
func inGo(path, name string) ([]text, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var all []text
	add := func(n ast.Node, words string) {
		words = strings.Join(strings.Fields(words), " ")
		if isProse(words) {
			all = append(all, text{fmt.Sprintf("%s:%d", name, set.Position(n.Pos()).Line), words})
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil {
				tag, err := strconv.Unquote(n.Tag.Value)
				if err == nil {
					add(n, reflect.StructTag(tag).Get("help"))
				}
				return false
			}
		case *ast.BinaryExpr:
			if words, ok := sum(n); ok {
				add(n, words)
				return false
			}
		case *ast.BasicLit:
			if words, ok := sum(n); ok {
				add(n, words)
			}
		}
		return true
	})
	return all, nil
}

// sum returns the text of a literal, or of a concatenation: … stands for values that are not
// literals.
func sum(e ast.Expr) (words string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		words, err := strconv.Unquote(e.Value)
		return words, err == nil
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		left, isLeft := sum(e.X)
		right, isRight := sum(e.Y)
		if !isLeft {
			left = "…"
		}
		if !isRight {
			right = "…"
		}
		return left + right, isLeft || isRight
	}
	return "", false
}

var (
	tags    = regexp.MustCompile(`(?s)<[^>]*>`)
	actions = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
)

// inTemplate returns the words of a template, one line each.
func inTemplate(path, name string) ([]text, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []text
	for i, line := range strings.Split(string(content), "\n") {
		line = actions.ReplaceAllString(line, "…")
		for _, words := range tags.Split(line, -1) {
			words = strings.Join(strings.Fields(words), " ")
			if isProse(words) {
				all = append(all, text{fmt.Sprintf("%s:%d", name, i+1), words})
			}
		}
	}
	return all, nil
}

var (
	word      = regexp.MustCompile(`[A-Za-z]{2,}`)
	statement = regexp.MustCompile(`(?i)^(select|insert|update|delete|with|create|alter|drop|pragma|lock|set|from|where|and|order by|values|returning|on conflict) `)
)

// isProse reports whether a text is written for people: it has two words or more, and is not SQL.
func isProse(words string) bool {
	return len(word.FindAllString(words, 2)) == 2 && strings.Contains(words, " ") &&
		!statement.MatchString(words)
}
