package app

import (
	"fmt"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/signin"
)

// OpenID configures a provider of OpenID Connect; the zero value is none.
type OpenID struct {
	Issuer       string
	ClientID     string
	ClientSecret string
	Scopes       []string
	NameClaim    string
	Claim        string
	Grants       []OpenIDGrant
}

// OpenIDGrant is what a value of the claim grants: roles in some banks, or in all.
type OpenIDGrant struct {
	Value string
	Roles []string
	Banks []int
}

func (g OpenIDGrant) grant() signin.Grant {
	granted := signin.Grant{
		Value: g.Value, Scope: operator.Scope{All: len(g.Banks) == 0, Banks: g.Banks},
	}
	for _, role := range g.Roles {
		granted.Roles = append(granted.Roles, operator.Role(role))
	}
	return granted
}

// Problems returns what is wrong with the settings, by their names in the settings file.
func (o OpenID) Problems() []string {
	var wrong problem.List
	for i, openIDGrant := range o.Grants {
		at := fmt.Sprintf("openid.grants[%d]", i)
		granted := openIDGrant.grant()
		if openIDGrant.Value == "" {
			wrong.Add(at+".value", "is required")
		}
		operator.CheckRoles(at+".roles", granted.Roles, &wrong)
		var banks problem.List
		operator.CheckScope(granted.Scope, &banks)
		for _, p := range banks {
			wrong.Add(problem.Join(at, p.Path), "%s", p.Text)
		}
	}
	lines := make([]string, len(wrong))
	for i, p := range wrong {
		lines[i] = p.Path + ": " + p.Text
	}
	return lines
}

// describe returns the settings in one line, to detect changes. It is not printed.
func (o OpenID) describe() string {
	if o.Issuer == "" {
		return ""
	}
	return fmt.Sprint(o.Issuer, o.ClientID, o.ClientSecret, o.Scopes, o.NameClaim, o.Claim,
		o.Grants)
}

// openID returns the client of the provider, nil without one.
func (s Settings) openID() *signin.OpenID {
	if s.OpenID.Issuer == "" {
		return nil
	}
	settings := signin.Settings{
		Issuer: s.OpenID.Issuer, ClientID: s.OpenID.ClientID,
		ClientSecret: secret.New(s.OpenID.ClientSecret),
		ConsoleURL:   s.ConsoleURL, Scopes: s.OpenID.Scopes,
		NameClaim: s.OpenID.NameClaim, Claim: s.OpenID.Claim,
	}
	for _, openIDGrant := range s.OpenID.Grants {
		settings.Grants = append(settings.Grants, openIDGrant.grant())
	}
	return signin.NewOpenID(settings)
}
