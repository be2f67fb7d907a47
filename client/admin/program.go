package admin

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
)

// plainProgram is a Program without its methods.
type plainProgram Program

// MarshalJSON encodes the settings on the same level as the other members.
func (p Program) MarshalJSON() ([]byte, error) {
	own, err := json.Marshal(plainProgram(p))
	if err != nil || len(p.Settings) == 0 {
		return own, err
	}
	all := maps.Clone(p.Settings)
	if err := json.Unmarshal(own, &all); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// UnmarshalJSON decodes every member without a field into Settings.
func (p *Program) UnmarshalJSON(text []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	var own plainProgram
	err := json.Unmarshal(text, &own) // of the first member of a wrong type; the others are read
	for field := range reflect.TypeFor[plainProgram]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		delete(all, name)
	}
	*p = Program(own)
	p.Settings = all
	return err
}
