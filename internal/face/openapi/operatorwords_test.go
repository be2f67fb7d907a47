package openapi

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"mintmark/internal/testkit/golden"
)

// TestGoldenOperatorWords compares the words of the document about types and members with the
// comments that stand beside them in client/admin.
func TestGoldenOperatorWords(t *testing.T) {
	files, err := filepath.Glob("../../../client/admin/*.go")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			declared, is := n.(*ast.GenDecl)
			if !is || declared.Tok != token.TYPE {
				return true
			}
			for _, spec := range declared.Specs {
				one, isType := spec.(*ast.TypeSpec)
				structure, isStruct := one.Type.(*ast.StructType)
				if isType && isStruct && one.Name.IsExported() {
					wordsOfType(words, one.Name.Name, declared.Doc, structure)
				}
			}
			return true
		})
	}
	text, err := json.MarshalIndent(words, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "operatorwords.json", append(text, '\n'))
}

func wordsOfType(
	words map[string]string, name string, doc *ast.CommentGroup, of *ast.StructType,
) {
	if text := inOneLine(doc); text != "" {
		words[name] = text
	}
	for _, field := range of.Fields.List {
		text := inOneLine(field.Comment)
		if text == "" {
			continue
		}
		for _, one := range field.Names {
			words[name+"."+one.Name] = text
		}
	}
}

func inOneLine(comment *ast.CommentGroup) string {
	return strings.Join(strings.Fields(comment.Text()), " ")
}
