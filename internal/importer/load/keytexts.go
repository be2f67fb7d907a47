package load

import (
	"net/netip"
	"reflect"
	"time"

	"mintmark/internal/base/secret"
	"mintmark/internal/domain/apikey"
)

// KeyText is a key of a file, with its first secret in plain text. It shows the keys of the demo
// data; the secrets of any other file stay hidden.
type KeyText struct {
	Name      string
	ProgramID int
	Version   int
	Secret    secret.Text
	Expires   time.Time // of the secret; zero for never
	Allow     []netip.Prefix
	PerSecond float64 // 0 for no limit

	Compatibility []apikey.Compatibility
}

// Keys returns the keys in the order of the file, or a *Problems for their entries.
func (d *Data) Keys() ([]KeyText, error) {
	var keys []KeyText
	for _, batch := range d.lists["keys"] {
		for _, at := range batch.items(d.problems) {
			var e keyEntry
			b := binder{d.problems, at}
			b.bind(at.node, reflect.ValueOf(&e).Elem(), "", true)
			keys = append(keys, d.keyText(at, e))
		}
	}
	return keys, d.problems.Err()
}

func (d *Data) keyText(at item, e keyEntry) KeyText {
	key := KeyText{
		Name: e.Name, ProgramID: e.ProgramID, Version: e.Version,
		PerSecond: orDefault(e.PerSecond, apikey.DefaultPerSecond),
	}
	if len(e.Secrets) > 0 {
		key.Secret = secret.New(e.Secrets[0].Secret)
		key.Expires = e.Secrets[0].Expires.Time
	}
	for _, text := range e.Allow {
		prefix, err := apikey.ParseAllow(text)
		if err != nil {
			d.problems.add(at, "allow", "%s", err)
		}
		key.Allow = append(key.Allow, prefix)
	}
	for _, habit := range e.Compatibility {
		key.Compatibility = append(key.Compatibility, apikey.Compatibility(habit))
	}
	return key
}
