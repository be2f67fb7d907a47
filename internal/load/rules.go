package load

import (
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"mintmark/internal/value"
)

// shape is what a mapping of a type must look like: the rules of its members by their names.
type shape = map[string]rule

// rule is what the value of one field must look like.
type rule struct {
	required  bool
	computed  bool // the service fills it
	elsewhere bool // it is read as if it stood in a list of its own
	hidden    bool // what it was and is must not be shown as it is
	checks    []check
}

// check returns what is wrong with a value, or nothing.
type check func(v reflect.Value) string

// need is the rule of a field that must be filled, may that of one that need not be.
func need(checks ...check) rule { return rule{required: true, checks: checks} }
func may(checks ...check) rule  { return rule{checks: checks} }

var computed = rule{computed: true}

// unshown is the rule of a field whose changes are told in words of their own.
func unshown(r rule) rule {
	r.hidden = true
	return r
}

// id allows the identifiers of the interface: positive, 32 bits.
var id = between(1, math.MaxInt32)

var notNegative = between(0, math.MaxInt32)

func between(low, high int64) check {
	return func(v reflect.Value) string {
		if v.Int() < low || v.Int() > high {
			return fmt.Sprintf("must be a whole number from %d to %d", low, high)
		}
		return ""
	}
}

func atMost(characters int) check {
	return func(v reflect.Value) string {
		if utf8.RuneCountInString(v.String()) > characters {
			return fmt.Sprintf("must have at most %d characters", characters)
		}
		return ""
	}
}

// digits allows texts of digits only.
func digits(low, high int) check {
	return func(v reflect.Value) string {
		text := v.String()
		if strings.Trim(text, "0123456789") == "" && len(text) >= low && len(text) <= high {
			return ""
		}
		if low == high {
			return fmt.Sprintf("must have %d digits and nothing else", low)
		}
		return fmt.Sprintf("must have %d to %d digits and nothing else", low, high)
	}
}

// oneOf allows the texts of a list, in its spelling.
func oneOf[T ~string](allowed ...T) check {
	return func(v reflect.Value) string {
		names := make([]string, len(allowed))
		for i, name := range allowed {
			if v.String() == string(name) {
				return ""
			}
			names[i] = string(name)
		}
		return fmt.Sprintf("%q is not one of: %s", v.String(), strings.Join(names, ", "))
	}
}

// each holds every element of a list against a check.
func each(one check) check {
	return func(v reflect.Value) string {
		for i := range v.Len() {
			if wrong := one(v.Index(i)); wrong != "" {
				return wrong
			}
		}
		return ""
	}
}

// distinct allows lists in which nothing stands twice.
func distinct(v reflect.Value) string {
	seen := make(map[any]bool)
	for i := range v.Len() {
		item := v.Index(i).Interface()
		if seen[item] {
			return fmt.Sprintf("%v stands in it twice", item)
		}
		seen[item] = true
	}
	return ""
}

// count allows lists of so many elements.
func count(low, high int) check {
	return func(v reflect.Value) string {
		if v.Len() < low || v.Len() > high {
			return fmt.Sprintf("must have %d to %d entries", low, high)
		}
		return ""
	}
}

// listed allows lists in one text, separated by commas.
func listed(one check) check {
	return func(v reflect.Value) string {
		return each(one)(reflect.ValueOf(strings.Split(v.String(), ",")))
	}
}

// without refuses texts that hold a character.
func without(character string) check {
	return func(v reflect.Value) string {
		if strings.Contains(v.String(), character) {
			return fmt.Sprintf("must not contain %q", character)
		}
		return ""
	}
}

// zone allows the names of the time zone database.
func zone(v reflect.Value) string {
	_, err := time.LoadLocation(v.String())
	if err != nil {
		return fmt.Sprintf("%q is not a known time zone, such as America/New_York", v.String())
	}
	return ""
}

// calendarDate allows date-times that are written without a time of day.
func calendarDate(v reflect.Value) string {
	date := v.Interface().(value.Time)
	_, offset := date.Zone()
	if offset != 0 || !date.Equal(date.Truncate(24*time.Hour)) {
		return "must be a date without a time, such as 1985-03-14"
	}
	return ""
}

// address allows what ParseAllow reads.
func address(v reflect.Value) string {
	_, err := ParseAllow(v.String())
	if err != nil {
		return err.Error()
	}
	return ""
}

// ParseAllow reads an entry of the allow list of a key: a CIDR block such as 192.0.2.0/24, or an
// address that stands for itself alone. Bits behind the prefix are cleared.
func ParseAllow(text string) (netip.Prefix, error) {
	prefix, err := netip.ParsePrefix(text)
	if err == nil {
		return prefix.Masked(), nil
	}
	single, err := netip.ParseAddr(text)
	if err != nil || single.Zone() != "" {
		return netip.Prefix{}, fmt.Errorf("%q is neither an address nor a CIDR block", text)
	}
	return netip.PrefixFrom(single.Unmap(), single.Unmap().BitLen()), nil
}
