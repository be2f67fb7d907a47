// Scopes reports acts that forget the scope of an operator. It prints each function of the acts
// (internal/issuing and below) that takes an issuing.Operator and reaches no check of a scope, and
// exits with 1 when there is one. It follows the static call graph: calls, and functions that are
// passed on.
package main

import (
	"fmt"
	"go/types"
	"log"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

const (
	acts     = "mintmark/internal/issuing"
	taken    = acts + ".Operator"
	includes = "(mintmark/internal/domain/operator.Scope).Includes"
)

// unscoped lists the functions that need no scope, each with the reason.
var unscoped = map[string]string{
	"AuditRefusal":  "keeps the entry of an act that was refused, whatever for",
	"BeginOperator": "finds the answer that the operator's own request was given before",
}

func main() {
	log.SetFlags(0)
	functions, err := load()
	if err != nil {
		log.Fatal(err)
	}
	var missing []string
	total := 0
	for _, f := range functions {
		if !takesOperator(f) {
			continue
		}
		total++
		if !reaches(f, map[*ssa.Function]bool{}) && unscoped[f.Name()] == "" {
			missing = append(missing, f.String())
		}
	}
	slices.Sort(missing)
	for _, name := range missing {
		fmt.Println(name, "asks for no scope")
	}
	fmt.Printf("%d functions take an operator, %d need no scope, %d forget it\n",
		total, len(unscoped), len(missing))
	if len(missing) > 0 {
		os.Exit(1)
	}
}

// load returns the exported functions and methods of the acts.
func load() ([]*ssa.Function, error) {
	config := packages.Config{Mode: packages.LoadAllSyntax, Dir: ".."}
	loaded, err := packages.Load(&config, acts+"/...")
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(loaded) > 0 {
		return nil, fmt.Errorf("the packages do not compile")
	}
	program, _ := ssautil.AllPackages(loaded, ssa.InstantiateGenerics)
	program.Build()
	var functions []*ssa.Function
	for f := range ssautil.AllFunctions(program) {
		if f.Pkg != nil && strings.HasPrefix(f.Pkg.Pkg.Path(), acts) && f.Synthetic == "" &&
			f.Object() != nil && f.Object().Exported() {
			functions = append(functions, f)
		}
	}
	return functions, nil
}

func takesOperator(f *ssa.Function) bool {
	for parameter := range f.Signature.Params().Variables() {
		if types.TypeString(parameter.Type(), nil) == taken {
			return true
		}
	}
	return false
}

// reaches reports whether a function checks a scope, directly or through its callees.
func reaches(f *ssa.Function, seen map[*ssa.Function]bool) bool {
	if f.String() == includes {
		return true
	}
	if seen[f] {
		return false
	}
	seen[f] = true
	for _, block := range f.Blocks {
		for _, instruction := range block.Instrs {
			for _, operand := range instruction.Operands(nil) {
				next, ok := (*operand).(*ssa.Function)
				if ok && reaches(next, seen) {
					return true
				}
			}
		}
	}
	return false
}
