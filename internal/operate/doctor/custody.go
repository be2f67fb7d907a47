package doctor

import (
	"strings"

	"mintmark/internal/vault"
)

// custody checks who can open the key files. Unencrypted files are fine if the settings name no
// custody. Their modes are examined by the check "keys".
func (r *Report) custody(p Installation) {
	p.Keys.AllowReadable = true
	w, files, err := vault.Custody(p.Keys)
	if err != nil {
		r.find("custody", Failed, "%v", err)
		return
	}
	var clear []string
	for _, file := range files {
		if !file.Wrapped {
			clear = append(clear, file.Name)
		}
	}
	named := w != nil || p.Keys.NewWrapping != nil
	switch {
	case named && len(clear) > 0:
		r.add(Finding{
			Name: "custody", Result: Warning, Found: "in the clear: " + strings.Join(clear, ", "),
			Why:  "a file in the clear gives its keys away, without any custodian",
			Cure: "mintmark custody wrap wraps them; treat copies made meanwhile as exposed",
		})
	case w != nil:
		r.find("custody", OK, "the key files are wrapped by %s", w)
	default:
		r.find("custody", OK, "the key files lie in the clear")
	}
}
