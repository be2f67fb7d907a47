package program

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"mintmark/internal/base/value"
)

// Each calls one function for every amount and one for every date-time that the settings hold.
// Walking the types keeps a setting added later from being forgotten.
func (s *Settings) Each(amount func(*value.Amount), date func(*value.Time)) {
	walk(reflect.ValueOf(s), func(v any) bool {
		switch v := v.(type) {
		case *value.Amount:
			amount(v)
		case *value.Time:
			date(v)
		case *value.Rate:
		default:
			return true
		}
		return false
	})
}

// walk visits every addressable struct below v. The visitor says whether to look inside.
func walk(v reflect.Value, visit func(any) bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walk(v.Elem(), visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), visit)
		}
	case reflect.Struct:
		if !visit(v.Addr().Interface()) {
			return
		}
		for i := range v.NumField() {
			walk(v.Field(i), visit)
		}
	}
}

// EachPath calls a function for every amount that the settings hold, with where it stands, such as
// products[0].balanceLimit.minimumAmount.
func (s *Settings) EachPath(amount func(path string, a value.Amount)) {
	walkPath(reflect.ValueOf(s).Elem(), "", amount)
}

func walkPath(v reflect.Value, path string, amount func(string, value.Amount)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walkPath(v.Elem(), path, amount)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walkPath(v.Index(i), fmt.Sprintf("%s[%d]", path, i), amount)
		}
	case reflect.Struct:
		switch part := v.Interface().(type) {
		case value.Amount:
			amount(path, part)
			return
		case value.Time, value.Rate:
			return
		}
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			walkPath(v.Field(i), strings.TrimPrefix(path+"."+name, "."), amount)
		}
	}
}

// Exact returns the settings as they are stored: in JSON an amount has the digits that it is
// answered with, which may be fewer than it has, so each is given all of its digits. The settings
// themselves stay as they are: what they point to may belong to others.
func (s Settings) Exact() (Settings, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return Settings{}, fmt.Errorf("settings of a program: %w", err)
	}
	var exact Settings
	if err := json.Unmarshal(text, &exact); err != nil {
		return Settings{}, fmt.Errorf("settings of a program: %w", err)
	}
	ignoreTime := func(*value.Time) {}
	var amounts []value.Amount
	s.Each(func(a *value.Amount) { amounts = append(amounts, *a) }, ignoreTime)
	exact.Each(func(a *value.Amount) {
		*a = amounts[0].Fixed(amounts[0].Digits())
		amounts = amounts[1:]
	}, ignoreTime)
	return exact, nil
}
