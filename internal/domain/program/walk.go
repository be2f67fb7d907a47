package program

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"mintmark/internal/base/value"
)

// Each calls one function for every amount in the settings, and another for every date-time. It
// walks the types, so that a setting added later is included.
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

// walk visits every addressable struct below v. visit reports whether to descend into it.
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

// EachPath calls a function for every amount in the settings, with its path, such as
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

// Exact returns the settings as stored. JSON encodes an amount with the decimal places for
// responses, which may be fewer than the amount has, so Exact gives each amount all of its decimal
// places. It does not change s, whose pointers may be shared.
func (s Settings) Exact() (Settings, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return Settings{}, fmt.Errorf("encode program settings: %w", err)
	}
	var exact Settings
	if err := json.Unmarshal(text, &exact); err != nil {
		return Settings{}, fmt.Errorf("decode program settings: %w", err)
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
