package api

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"

	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/fault"
	"mintmark/internal/face/injection"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing/auth"
)

// authenticate makes the checks that precede routing, in a fixed order: HTTP version, an address
// that any key allows, credentials, an address that this key allows, rate, the fence of the
// program.
func (s *Server) authenticate(x *web.Exchange, trial *injection.Trial) (apikey.Key, error) {
	if x.Request.ProtoMajor != 1 || x.Request.ProtoMinor != 1 {
		x.Header.Set("Connection", "close")
		return apikey.Key{}, fault.New(fault.HTTPVersion)
	}
	if err := trial.Passed(fault.HTTPVersion); err != nil {
		return apikey.Key{}, err
	}
	address, known := x.FindClient()
	if !known || !s.callers.AllowsAddress(address) {
		return apikey.Key{}, fault.New(fault.AddressNotTrusted)
	}
	name, secret, well := basicCredentials(x.Request.Header.Get("Authorization"))
	key, opened := s.callers.Authenticate(name, secret)
	if !opened || !well {
		return apikey.Key{}, fault.New(fault.Unauthorized)
	}
	if err := trial.Passed(fault.Unauthorized); err != nil {
		return apikey.Key{}, err
	}
	x.Actor = actor(key.Name)
	if !key.Allows(address) {
		return apikey.Key{}, fault.New(fault.AddressNotTrusted)
	}
	if err := trial.Passed(fault.AddressNotTrusted); err != nil {
		return apikey.Key{}, err
	}
	if err := s.takeToken(x, key); err != nil {
		return apikey.Key{}, err
	}
	if err := trial.Passed(fault.RateExceeded); err != nil {
		return apikey.Key{}, err
	}
	return key, s.service.CheckFence(key.ProgramID)
}

// basicCredentials parses the Authorization header: the scheme Basic, in any letter case, and the
// base64 of key, colon, secret in UTF-8. A malformed header gives empty credentials, which are
// looked up like any others, so that timing does not reveal the difference.
func basicCredentials(header string) (name, secret string, well bool) {
	scheme, token, _ := strings.Cut(strings.TrimSpace(header), " ")
	if !strings.EqualFold(scheme, "Basic") {
		return "", "", false
	}
	const ordinary = 128 // bytes; longer ones are decoded too
	decoded, err := base64.StdEncoding.AppendDecode(
		make([]byte, 0, ordinary), []byte(strings.TrimSpace(token)))
	if err != nil || !utf8.Valid(decoded) {
		return "", "", false
	}
	return strings.Cut(string(decoded), ":")
}

// takeToken takes a token from the key's rate limiter and sets the headers with the remaining
// quota.
func (s *Server) takeToken(x *web.Exchange, key apikey.Key) error {
	quota := s.callers.TakeToken(key)
	if !quota.Limited {
		return nil
	}
	window := wholeSeconds(auth.Window(key))
	x.Header.Set("RateLimit-Policy", `"default";q=`+strconv.Itoa(quota.Burst)+`;w=`+window)
	x.Header.Set("RateLimit",
		`"default";r=`+strconv.Itoa(quota.Remaining)+`;t=`+wholeSeconds(quota.Reset))
	if quota.Wait == 0 {
		return nil
	}
	exceeded := fault.New(fault.RateExceeded)
	exceeded.RetryAfter = quota.Wait
	return exceeded
}
