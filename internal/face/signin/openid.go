package signin

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing/auth"
)

// Settings configures an OpenID Connect provider.
type Settings struct {
	Issuer       string
	ClientID     string
	ClientSecret secret.Text
	ConsoleURL   string // where browsers reach the console, without a path

	Scopes    []string // besides openid; default profile and email
	NameClaim string   // default preferred_username
	Claim     string   // that grants roles: a string or a list of strings; default groups
	Grants    []Grant
}

// Grant maps a value of the claim to roles and a scope.
type Grant struct {
	Value string
	Roles operator.Roles
	Scope operator.Scope
}

// CallbackPath is the path to which the provider redirects browsers back.
const CallbackPath = "/console/sign-in/openid"

// stateCookie carries the state of a sign-in to the provider and back. It is SameSite=Lax, because
// the redirect back comes from another site.
const stateCookie = "__Host-mintmark-openid"

const (
	stateBytes = 32
	// providerTimeout is the timeout of requests to the provider.
	providerTimeout = 10 * time.Second
)

// OpenID signs people in through a provider. It reads the provider's configuration at the first
// sign-in, so that the service can start without the provider.
type OpenID struct {
	settings Settings
	client   *http.Client

	provider atomic.Pointer[oidc.Provider]
	reading  singleflight.Group // of provider
}

// NewOpenID returns an OpenID with defaults filled in.
func NewOpenID(settings Settings) *OpenID {
	if settings.NameClaim == "" {
		settings.NameClaim = "preferred_username"
	}
	if settings.Claim == "" {
		settings.Claim = "groups"
	}
	if len(settings.Scopes) == 0 {
		settings.Scopes = []string{"profile", "email"}
	}
	return &OpenID{settings: settings, client: &http.Client{Timeout: providerTimeout}}
}

// signInState is the value of the cookie.
type signInState struct {
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
	Next     string `json:"next"` // the requested page
}

// Begin redirects a browser to the provider. Next is the page of the console to return to.
func (o *OpenID) Begin(w http.ResponseWriter, r *http.Request, next string) error {
	config, _, err := o.config(r.Context())
	if err != nil {
		return err
	}
	way := signInState{
		State: text(), Nonce: text(), Verifier: oauth2.GenerateVerifier(), Next: safe(next),
	}
	value, err := json.Marshal(way)
	if err != nil {
		return err
	}
	http.SetCookie(w, cookie(base64.RawURLEncoding.EncodeToString(value),
		int(auth.OpenIDTime/time.Second)))
	http.Redirect(w, r, config.AuthCodeURL(way.State, oidc.Nonce(way.Nonce),
		oauth2.S256ChallengeOption(way.Verifier)), http.StatusSeeOther)
	return nil
}

func cookie(value string, seconds int) *http.Cookie {
	return &http.Cookie{
		Name: stateCookie, Value: value, Path: "/", MaxAge: seconds, Secure: true,
		HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
}

// safe returns next if it is a page of the console, else the console's start page.
func safe(next string) string {
	if !strings.HasPrefix(next, "/console/") || strings.ContainsAny(next, "\\\r\n") {
		return "/console/"
	}
	return next
}

// ErrOpenID is wrapped by the error of a sign-in that the provider rejects or that cannot be
// completed.
var ErrOpenID = errors.New("the sign-in through the provider failed")

// Finish handles the redirect back from the provider. It returns the provider's claims about the
// person and the page to open next. The response must be a page, not a redirect: browsers send the
// session cookie only if the navigation began on this site.
func (o *OpenID) Finish(
	w http.ResponseWriter, r *http.Request, from auth.From,
) (claimed auth.Claimed, next string, err error) {
	way, err := readWay(r)
	http.SetCookie(w, cookie("", -1))
	if err != nil {
		return auth.Claimed{}, "", err
	}
	query := r.URL.Query()
	if subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(way.State)) != 1 {
		return auth.Claimed{}, "", fmt.Errorf("%w: it was started elsewhere", ErrOpenID)
	}
	if query.Get("code") == "" {
		return auth.Claimed{}, "", fmt.Errorf("%w: the provider refused it", ErrOpenID)
	}
	token, err := o.exchange(r.Context(), query.Get("code"), way)
	if err != nil {
		return auth.Claimed{}, "", err
	}
	claimed, err = o.read(token)
	claimed.From = from
	return claimed, way.Next, err
}

func readWay(r *http.Request) (signInState, error) {
	var way signInState
	sent, err := r.Cookie(stateCookie)
	if err != nil {
		return way, fmt.Errorf("%w: it took too long, or was started elsewhere", ErrOpenID)
	}
	value, err := base64.RawURLEncoding.DecodeString(sent.Value)
	if err == nil {
		err = json.Unmarshal(value, &way)
	}
	if err != nil || way.State == "" || way.Nonce == "" {
		return way, fmt.Errorf("%w: its cookie is damaged", ErrOpenID)
	}
	way.Next = safe(way.Next)
	return way, nil
}

// exchange exchanges the code for the person's ID token and verifies it.
func (o *OpenID) exchange(
	ctx context.Context, code string, way signInState,
) (*oidc.IDToken, error) {
	config, provider, err := o.config(ctx)
	if err != nil {
		return nil, err
	}
	ctx = oidc.ClientContext(ctx, o.client)
	// The library's errors may quote the provider's response.
	traded, err := config.Exchange(ctx, code, oauth2.VerifierOption(way.Verifier))
	if err != nil {
		return nil, fmt.Errorf("%w: the provider refused the code", ErrOpenID)
	}
	raw, given := traded.Extra("id_token").(string)
	if !given {
		return nil, fmt.Errorf("%w: the provider sent no ID token", ErrOpenID)
	}
	verified, err := provider.Verifier(&oidc.Config{ClientID: o.settings.ClientID}).
		Verify(ctx, raw)
	if err != nil {
		return nil, fmt.Errorf("%w: the ID token is not valid", ErrOpenID)
	}
	if subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(way.Nonce)) != 1 {
		return nil, fmt.Errorf("%w: the ID token belongs to another sign-in", ErrOpenID)
	}
	if !o.isFor(verified) {
		return nil, fmt.Errorf("%w: the ID token was issued for another client", ErrOpenID)
	}
	return verified, nil
}

// isFor reports whether a token was issued to this client, which the library has already found
// among its audiences: with several audiences, or with an authorized party, that party must be this
// client (OpenID Connect Core, 3.1.3.7).
func (o *OpenID) isFor(token *oidc.IDToken) bool {
	var claims struct {
		Party string `json:"azp"`
	}
	if token.Claims(&claims) != nil {
		return false
	}
	return claims.Party == o.settings.ClientID || claims.Party == "" && len(token.Audience) == 1
}

// read returns the claims of a token that the settings name.
func (o *OpenID) read(token *oidc.IDToken) (auth.Claimed, error) {
	var claims map[string]json.RawMessage
	if err := token.Claims(&claims); err != nil {
		return auth.Claimed{}, fmt.Errorf("%w: its claims cannot be read", ErrOpenID)
	}
	claimed := auth.Claimed{Issuer: token.Issuer, Subject: token.Subject}
	if names := texts(claims[o.settings.NameClaim]); len(names) == 1 {
		claimed.Name = names[0]
	}
	claimed.Roles, claimed.Scope = o.settings.granted(texts(claims[o.settings.Claim]))
	return claimed, nil
}

// texts parses a claim that is a string or a list of strings.
func texts(claim json.RawMessage) []string {
	var s string
	if json.Unmarshal(claim, &s) == nil {
		return []string{s}
	}
	var all []string
	if json.Unmarshal(claim, &all) != nil {
		return nil
	}
	return all
}

// granted returns the roles and scope for values of the claim. A person has one scope for all
// roles, so of several matching grants only those with the scope of the first in the settings
// count: an added grant must not give a role in a bank for which it was not configured.
func (s Settings) granted(values []string) (operator.Roles, operator.Scope) {
	var roles operator.Roles
	var scope operator.Scope
	for _, grant := range s.Grants {
		if !slices.Contains(values, grant.Value) {
			continue
		}
		if len(roles) == 0 {
			scope = grant.Scope
		}
		if !grant.Scope.Within(scope) || !scope.Within(grant.Scope) {
			continue
		}
		for _, role := range grant.Roles {
			if !slices.Contains(roles, role) {
				roles = append(roles, role)
			}
		}
	}
	return roles, scope
}

// config returns the provider, which is read once, and the client's configuration for it.
func (o *OpenID) config(ctx context.Context) (*oauth2.Config, *oidc.Provider, error) {
	provider, err := o.find(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: the provider cannot be reached: %w", ErrOpenID, err)
	}
	return &oauth2.Config{
		ClientID: o.settings.ClientID, ClientSecret: o.settings.ClientSecret.Reveal(),
		Endpoint:    provider.Endpoint(),
		RedirectURL: strings.TrimRight(o.settings.ConsoleURL, "/") + CallbackPath,
		Scopes:      append([]string{oidc.ScopeOpenID}, o.settings.Scopes...),
	}, provider, nil
}

// find returns the provider. Requests that arrive while it is being read wait for the same result;
// a provider that hangs delays none of them longer than providerTimeout.
func (o *OpenID) find(ctx context.Context) (*oidc.Provider, error) {
	if provider := o.provider.Load(); provider != nil {
		return provider, nil
	}
	// Other requests use the result too, so the read must not end with this request.
	shared := oidc.ClientContext(context.WithoutCancel(ctx), o.client)
	answer := o.reading.DoChan("", func() (any, error) {
		provider, err := oidc.NewProvider(shared, o.settings.Issuer)
		if err == nil {
			o.provider.Store(provider)
		}
		return provider, err
	})
	select {
	case read := <-answer:
		return o.provider.Load(), read.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func text() string {
	state := make([]byte, stateBytes)
	_, _ = rand.Read(state) // never fails
	return base64.RawURLEncoding.EncodeToString(state)
}
