package card

import (
	"reflect"
	"testing"
	"time"
)

// TestEqualSeesEveryField changes each field of a card alone, nested fields included.
func TestEqualSeesEveryField(t *testing.T) {
	t.Parallel()
	var c Card
	if !c.Equal(&Card{}) {
		t.Error("a card differs from itself")
	}
	var each func(name string, at func(*Card) reflect.Value)
	each = func(name string, at func(*Card) reflect.Value) {
		var changed Card
		switch field := at(&changed); {
		case field.Type() == reflect.TypeFor[time.Time]():
			field.Set(reflect.ValueOf(time.Unix(1, 0)))
		case field.Kind() == reflect.Struct:
			for i := range field.NumField() {
				each(name+"."+field.Type().Field(i).Name,
					func(c *Card) reflect.Value { return at(c).Field(i) })
			}
			return
		case field.Kind() == reflect.String:
			field.SetString("x")
		case field.Kind() == reflect.Bool:
			field.SetBool(true)
		case field.Kind() == reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 1, 1))
		default:
			field.SetInt(1)
		}
		if c.Equal(&changed) {
			t.Errorf("a card with another %s is taken for the same", name)
		}
	}
	each("card", func(c *Card) reflect.Value { return reflect.ValueOf(c).Elem() })
}
