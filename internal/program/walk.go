package program

import (
	"reflect"

	"mintmark/internal/value"
)

// Each calls one function for every amount and one for every date-time that the settings hold.
// Walking the types keeps a setting added later from being forgotten.
func (s *Settings) Each(amount func(*value.Amount), date func(*value.Time)) {
	walk(reflect.ValueOf(s), func(found any) bool {
		switch v := found.(type) {
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
