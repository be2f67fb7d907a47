package cli

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"mintmark/internal/base/value"
	"mintmark/internal/face/admin"
)

// Typed holds the words of the command line. Only a noun among them gets its verbs, because
// building the verbs of all nouns takes longer than most commands run. Without any words, all nouns
// get theirs.
type Typed []string

// described returns the nouns with their commands. A struct in byHand holds verbs of its noun that
// are written by hand. A resource without help belongs to a noun of package main.
func described(typed Typed, byHand map[string]any) kong.Plugins {
	var nouns grammar
	for _, r := range admin.Resources() {
		if r.Help != "" && !strings.Contains(r.Noun, " ") {
			nouns.add(typed.NounOf(r.Noun, byHand[r.Noun]),
				"cmd", "", "name", r.Noun, "group", "ask", "help", r.Help)
		}
	}
	return kong.Plugins{nouns.pointer()}
}

// Noun holds the commands on a noun, its verbs.
type Noun struct {
	Verbs kong.Plugins `embed:""`
}

// NounOf returns a noun with one verb per operation of its resources, and the verbs in the struct
// byHand, which replace operations of the same name. A noun of two words is among the verbs of its
// first word.
func (t Typed) NounOf(noun string, byHand any) Noun {
	if len(t) > 0 && !slices.Contains(t, noun) {
		return Noun{}
	}
	return nounOf(noun, byHand)
}

func nounOf(noun string, byHand any) Noun {
	var verbs grammar
	hand := verbsOf(byHand)
	for _, r := range admin.Resources() {
		if outer, inner, nested := strings.Cut(r.Noun, " "); nested && outer == noun {
			verbs.add(nounOf(r.Noun, nil), "cmd", "", "name", inner, "help", r.Help)
		}
		for _, o := range r.Ops() {
			if r.Noun != noun {
				continue
			}
			at := slices.IndexFunc(hand, func(v verb) bool { return v.name == o.Name })
			if at < 0 {
				verbs.add(newCommand(r, o), "cmd", "", "name", o.Name, "help", o.Summary+".")
				continue
			}
			verbs.addField(hand[at].field, hand[at].value)
			hand = slices.Delete(hand, at, at+1)
		}
	}
	for _, v := range hand {
		verbs.addField(v.field, v.value)
	}
	return Noun{kong.Plugins{verbs.pointer()}}
}

// verb is a command written by hand.
type verb struct {
	name  string
	field reflect.StructField
	value any
}

// verbsOf returns the commands in the fields of a struct.
func verbsOf(byHand any) []verb {
	if byHand == nil {
		return nil
	}
	var verbs []verb
	commands := reflect.ValueOf(byHand)
	for i := range commands.NumField() {
		field := commands.Type().Field(i)
		name := cmp.Or(field.Tag.Get("name"), value.Kebab(field.Name))
		verbs = append(verbs, verb{name, field, commands.Field(i).Interface()})
	}
	return verbs
}

// grammar builds a struct for kong to parse.
type grammar struct {
	fields []reflect.StructField
	values []any
}

// add adds a field with a value. Pairs form its tag.
func (g *grammar) add(value any, pairs ...string) {
	var tag strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		fmt.Fprintf(&tag, "%s:%q ", pairs[i], pairs[i+1])
	}
	g.addField(reflect.StructField{
		Name: "Field" + strconv.Itoa(len(g.fields)), Type: reflect.TypeOf(value),
		Tag: reflect.StructTag(strings.TrimSpace(tag.String())),
	}, value)
}

func (g *grammar) addField(field reflect.StructField, value any) {
	g.fields = append(g.fields, reflect.StructField{
		Name: field.Name, Type: field.Type, Tag: field.Tag,
	})
	g.values = append(g.values, value)
}

// pointer returns a pointer to the struct.
func (g *grammar) pointer() any {
	pointer := reflect.New(reflect.StructOf(g.fields))
	for i, value := range g.values {
		pointer.Elem().Field(i).Set(reflect.ValueOf(value))
	}
	return pointer.Interface()
}
