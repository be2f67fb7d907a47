package doctor

import (
	"fmt"
	"strings"

	"mintmark/internal/store/sqlstore/inspect"
)

// production judges what matters for a bank alone: who may come in, and whether there is a backup.
func (r *Report) production(p Patient, found inspect.Condition) {
	people := found.People
	if !people.Production {
		return
	}
	r.lastBackup(p, found.Sealing)
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
	r.named("second factor", people.OneFactor, "every operator has one")
	r.local(p, people.Local)
	r.tokens(p, people.Tokens)
	r.fourEyes(p, people)
	r.apiKeys(p, people.Keys)
}

func (r *Report) lastBackup(p Patient, found inspect.Sealing) {
	switch {
	case found.LastBackup.IsZero():
		r.find("last backup", Warning, "the audit knows of none")
	case p.Now.Sub(found.LastBackup) > week:
		r.find("last backup", Warning, "it is of %s", moment(found.LastBackup))
	default:
		r.find("last backup", OK, "it is of %s", moment(found.LastBackup))
	}
}

// local tells who has signed in without the provider.
func (r *Report) local(p Patient, all []inspect.Until) {
	if !p.OpenID {
		return
	}
	var used []string
	for _, one := range all {
		if p.Now.Sub(one.At) < week {
			used = append(used, fmt.Sprintf("%s signed in at %s", one.Name, moment(one.At)))
		}
	}
	r.named("local sign-in", used, "every operator signs in through the provider")
}

func (r *Report) tokens(p Patient, all []inspect.Until) {
	var wrong []string
	good := 0
	for _, one := range all {
		switch {
		case one.At.IsZero():
			wrong = append(wrong, one.Name+" never expires")
		case one.At.Before(p.Now):
			continue // it opens nothing
		case one.At.Sub(p.Now) < renewTime:
			wrong = append(wrong, fmt.Sprintf("%s expires at %s", one.Name, moment(one.At)))
		}
		good++
	}
	r.named("tokens", wrong, fmt.Sprintf("%d are good", good))
}

// fourEyes judges whether two operators are two people: who may make an operator alone is both.
func (r *Report) fourEyes(p Patient, people inspect.People) {
	if p.Settings != "" && !p.FourEyes && len(people.FourEyes) > 0 {
		r.find("four eyes", Warning, "fourEyes is off in the settings, and on in %s",
			strings.Join(people.FourEyes, ", "))
	} else {
		r.find("four eyes", OK, "%d programs demand it", len(people.FourEyes))
	}
	r.named("owners of tokens", people.NoOwner, "every token has one")
}

func (r *Report) apiKeys(p Patient, all []inspect.Until) {
	var wrong []string
	for _, one := range all {
		if one.At.Sub(p.Now) < renewTime {
			wrong = append(wrong, fmt.Sprintf("%s: %s", one.Name, moment(one.At)))
		}
	}
	r.named("API keys", wrong, "none is about to expire")
}
