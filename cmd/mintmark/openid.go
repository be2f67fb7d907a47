package main

import (
	"net/url"

	"mintmark/internal/app"
)

// openID is the provider with which operators sign in.
type openID struct {
	Issuer       string        `yaml:"issuer"`
	ClientID     string        `yaml:"clientId"`
	ClientSecret string        `yaml:"clientSecret"`
	Scopes       []string      `yaml:"scopes"`
	NameClaim    string        `yaml:"nameClaim"`
	Claim        string        `yaml:"claim"`
	Grants       []openIDGrant `yaml:"grants"`
}

// openIDGrant maps a value of the claim to roles and banks.
type openIDGrant struct {
	Value string   `yaml:"value"`
	Roles []string `yaml:"roles"`
	Banks []int    `yaml:"banks"`
}

// settings validates the provider and the address to which it redirects browsers.
func (o openID) settings(consoleURL string, f *findings) app.OpenID {
	checkConsoleURL(consoleURL, f)
	settings := app.OpenID{
		Issuer: o.Issuer, ClientID: o.ClientID, ClientSecret: o.ClientSecret, Scopes: o.Scopes,
		NameClaim: o.NameClaim, Claim: o.Claim,
	}
	for _, row := range o.Grants {
		settings.Grants = append(settings.Grants, app.OpenIDGrant(row))
	}
	if o.Issuer == "" {
		if o.ClientID != "" || o.ClientSecret != "" || len(o.Grants) > 0 {
			f.add("openid.issuer: is needed")
		}
		return settings
	}
	read, err := url.Parse(o.Issuer)
	switch {
	case err != nil || read.Host == "" || read.Scheme != "https" && read.Scheme != "http":
		f.add("openid.issuer: %q is not an http or https address", hidden(read, o.Issuer))
	case read.Scheme == "http" && !app.OnLoopback(withPort(read)):
		f.addInsecure("openid.issuer: %s is reached in plain HTTP", o.Issuer)
	}
	if o.ClientID == "" {
		f.add("openid.clientId: is needed")
	}
	if consoleURL == "" {
		f.add("consoleUrl: is needed: the provider sends browsers back there")
	}
	if len(o.Grants) == 0 {
		f.add("openid.grants: without one no operator has a role")
	}
	for _, text := range settings.Problems() {
		f.add("%s", text)
	}
	return settings
}

// checkConsoleURL requires an address that links to the console can begin with.
func checkConsoleURL(text string, f *findings) {
	if text == "" {
		return
	}
	read, err := url.Parse(text)
	if err != nil || read.Scheme != "http" && read.Scheme != "https" || read.Host == "" ||
		read.User != nil || read.Path != "" && read.Path != "/" || read.RawQuery != "" ||
		read.Fragment != "" {
		f.add("consoleUrl: %q is not an http or https address without a path", hidden(read, text))
	}
}
