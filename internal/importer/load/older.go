package load

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/base/problem"
)

// renamed maps former names of members to the current ones, by list.
var renamed = map[string]map[string]string{
	"bins": {"firstNumber": "firstBody", "lastNumber": "lastBody"},
	"customers": {
		"accessType": "access", "mailingAddress": "mailing", "residenceAddress": "residence",
	},
	"access": {"type": "access"},
}

// formerNames lists the former member names that a file uses, each once.
type formerNames []olderName

type olderName struct {
	list, name string
	line       int
	path       string
}

// rename gives the members of an entry their current names.
func (o *formerNames) rename(list string, at item) {
	node := resolve(at.node)
	if node.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i], resolve(node.Content[i+1])
		if list == "programs" && key.Value == "bins" && value.Kind == yaml.SequenceNode {
			for j, bin := range value.Content {
				path := fmt.Sprintf("%s.bins[%d]", at.path, j)
				o.rename("bins", item{path: path, node: bin, index: j})
			}
		}
		today, ok := renamed[list][key.Value]
		if !ok {
			continue
		}
		told := slices.ContainsFunc(*o, func(n olderName) bool {
			return n.list == list && n.name == key.Value
		})
		if !told {
			*o = append(*o, olderName{
				list: list, name: key.Value, line: key.Line,
				path: problem.Join(at.path, key.Value),
			})
		}
		key.Value = today
	}
}

// notes returns a note for each former name.
func (o *formerNames) notes(file string) []string {
	var notes []string
	for _, n := range *o {
		notes = append(notes, fmt.Sprintf("%s:%d: %s: is called %s now", file, n.line, n.path,
			renamed[n.list][n.name]))
	}
	return notes
}
