package admin

import (
	"encoding/json"
	"maps"
)

// plainProgram is a Program without its methods.
type plainProgram Program

// MarshalJSON writes the settings beside the other members.
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

// UnmarshalJSON takes every member that has no field of its own into Settings.
func (p *Program) UnmarshalJSON(text []byte) error {
	var own plainProgram
	if err := json.Unmarshal(text, &own); err != nil {
		return err
	}
	all, known := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	fields, err := json.Marshal(plainProgram{})
	if err == nil {
		err = json.Unmarshal(fields, &known)
	}
	for name := range known {
		delete(all, name)
	}
	*p = Program(own)
	p.Settings = all
	return err
}
