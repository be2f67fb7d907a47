package doctor

import (
	"fmt"
	"strings"

	"mintmark/internal/store/sqlstore/inspect"
)

// production checks what matters only in production: who has access, and whether there is a backup.
func (r *Report) production(p Installation, condition inspect.Condition) {
	people := condition.People
	if !people.Production {
		return
	}
	r.lastBackup(p, condition.Sealing)
	switch {
	case people.Administrators > 0:
		r.find("administrators", OK, "%d", people.Administrators)
	case len(people.Invited) > 0:
		r.add(Finding{
			Name: "administrators", Result: Warning,
			Found: "the invitation is not accepted yet: " + strings.Join(people.Invited, ", "),
			Cure: "open the link of the invitation; mintmark operator invite NAME prints another " +
				"where it is lost",
		})
	default:
		r.find("administrators", Warning, "there is none")
	}
	r.warn("second factor", people.OneFactor, "every operator has one")
	r.local(p, people.Local)
	r.tokens(p, people.Tokens)
	r.fourEyes(p, people)
	r.apiKeys(p, people.Keys)
}

func (r *Report) lastBackup(p Installation, sealing inspect.Sealing) {
	switch {
	case sealing.LastBackup.IsZero():
		r.find("last backup", Warning, "the audit has no entry of one")
	case p.Now.Sub(sealing.LastBackup) > week:
		r.find("last backup", Warning, "it is of %s", moment(sealing.LastBackup))
	default:
		r.find("last backup", OK, "it is of %s", moment(sealing.LastBackup))
	}
}

// local checks for operators who signed in without the provider.
func (r *Report) local(p Installation, all []inspect.NamedTime) {
	if !p.OpenID {
		return
	}
	var used []string
	for _, u := range all {
		if p.Now.Sub(u.At) < week {
			used = append(used, fmt.Sprintf("%s signed in at %s", u.Name, moment(u.At)))
		}
	}
	r.warn("local sign-in", used, "every operator signs in through the provider")
}

func (r *Report) tokens(p Installation, all []inspect.NamedTime) {
	var wrong []string
	good := 0
	for _, u := range all {
		switch {
		case u.At.IsZero():
			wrong = append(wrong, u.Name+" never expires")
		case u.At.Before(p.Now):
			continue // it is useless already
		case u.At.Sub(p.Now) < renewTime:
			wrong = append(wrong, fmt.Sprintf("%s expires at %s", u.Name, moment(u.At)))
		}
		good++
	}
	r.warn("tokens", wrong, fmt.Sprintf("%d are good", good))
}

// fourEyes checks that two operators are two people: an operator who can create another one alone
// is both.
func (r *Report) fourEyes(p Installation, people inspect.People) {
	if p.Settings != "" && !p.FourEyes && len(people.FourEyes) > 0 {
		r.find("four eyes", Warning, "fourEyes is off in the settings, and on in %s",
			strings.Join(people.FourEyes, ", "))
	} else {
		r.find("four eyes", OK, "%d programs demand it", len(people.FourEyes))
	}
	r.warn("owners of tokens", people.NoOwner, "every token has one")
}

func (r *Report) apiKeys(p Installation, all []inspect.NamedTime) {
	var wrong []string
	for _, u := range all {
		if u.At.Sub(p.Now) < renewTime {
			wrong = append(wrong, fmt.Sprintf("%s: %s", u.Name, moment(u.At)))
		}
	}
	r.warn("API keys", wrong, "none is about to expire")
}
