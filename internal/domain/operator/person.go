package operator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mintmark/internal/base/problem"
)

// State is the state of a person, which determines whether the person may sign in.
type State string

// The states of a person.
const (
	Invited State = "invited" // has not set a password yet
	Active  State = "active"
	Ended   State = "ended"
	// NoRole is shown for an active person to whom the OpenID Connect provider no longer gives a
	// role.
	NoRole State = "withdrawn"
)

// Person is an operator who may sign in to the console.
type Person struct {
	ID    int
	Name  string
	Roles Roles
	Scope Scope
	State State

	// OpenID holds the issuer and the subject of a person who signs in through an OpenID Connect
	// provider; empty for a person with a password.
	OpenID string

	Created    time.Time
	LastSignIn time.Time
	// SessionsSince invalidates sessions that began before it. It is set when the password changes,
	// when the person is ended, and when the provider rejects the person.
	SessionsSince time.Time

	Revision int
}

// Identity returns the identity of the person's sessions.
func (p Person) Identity() Identity {
	return Identity{Name: p.Name, ID: p.ID, Roles: p.Roles, Scope: p.Scope}
}

// Standing returns the state as shown to operators.
func (p Person) Standing() State {
	if p.State == Active && len(p.Roles) == 0 {
		return NoRole
	}
	return p.State
}

// IsFullAdministrator reports whether the person is an active administrator of all banks. At least
// one such person must remain.
func (p Person) IsFullAdministrator() bool {
	return p.State == Active && p.Scope.All && slices.Contains(p.Roles, Administrator)
}

// Token is the credential of a program. Only a keyed digest of its secret is stored.
type Token struct {
	ID     int
	Name   string
	Digest []byte
	Roles  Roles
	Scope  Scope
	Owner  Owner

	Created  time.Time
	Expires  time.Time // zero for never
	Revoked  time.Time
	LastUsed time.Time // to the minute

	Revision int
}

// TokenPrefix is the prefix of every token created outside a sandbox.
const TokenPrefix = "mmo_"

// Identity returns the identity of requests with the token.
func (t Token) Identity() Identity {
	return Identity{
		Name: t.Name, IsToken: true, ID: t.ID, Owner: t.Owner, Roles: t.Roles, Scope: t.Scope,
	}
}

// Under returns the identity of requests with the token, restricted to what its owner may do too.
// active is false if the owner may not sign in.
func (t Token) Under(owner Person) (who Identity, active bool) {
	who = t.Identity()
	if !owner.Roles.MayGrant(t.Roles) {
		who.Roles = Roles{}
		for _, role := range AllRoles {
			if role != Administrator && t.Roles.Has(role) && owner.Roles.Has(role) {
				who.Roles = append(who.Roles, role)
			}
		}
	}
	who.Scope = t.Scope.Intersect(owner.Scope)
	return who, owner.Standing() == Active
}

// State returns "active", "expired" or "revoked".
func (t Token) State(now time.Time) string {
	switch {
	case !t.Revoked.IsZero():
		return "revoked"
	case !t.Expires.IsZero() && !now.Before(t.Expires):
		return "expired"
	}
	return "active"
}

// Credential holds the credentials of a person with a password.
type Credential struct {
	PersonID int
	Password string // argon2id hash; empty for none
	// TOTP is the encrypted secret of the one-time codes. If it is empty, which only a sandbox
	// allows, the password alone is enough.
	TOTP []byte
	// LastStep is the time step of the last code used: each code works once.
	LastStep int64
}

// Invitation lets a person set a password once.
type Invitation struct {
	Digest   []byte // of the secret in the link
	PersonID int
	TOTP     []byte // encrypted
	Expires  time.Time
}

// InvitationLifetime is how long the link of an invitation is valid.
const InvitationLifetime = 3 * 24 * time.Hour

// Attempt is a sign-in that failed or is still in progress.
type Attempt struct {
	ID      int
	Account string
	Address string
	At      time.Time
}

// Limits on failed sign-ins. After MaxFailures failures within FailuresWithin, for one account from
// one address, further sign-ins for that pair are rejected. After as many for an account from any
// address, or from an address for any account, each further sign-in is delayed by SlowedBy.
const (
	MaxFailures    = 5
	FailuresWithin = 15 * time.Minute
	SlowedBy       = 2 * time.Second
)

// RetryAfter returns how long a sign-in must wait because of failures for its account from its
// address, or zero if it may be tried now.
func RetryAfter(failures []Attempt, now time.Time) time.Duration {
	var recent []time.Time
	for _, attempt := range failures {
		// An attempt in the future was recorded before the clock was set back.
		if age := now.Sub(attempt.At); age >= 0 && age < FailuresWithin {
			recent = append(recent, attempt.At)
		}
	}
	if len(recent) < MaxFailures {
		return 0
	}
	slices.SortFunc(recent, time.Time.Compare)
	return FailuresWithin - now.Sub(recent[len(recent)-MaxFailures])
}

// Session is a session of the console. Only a keyed digest of the secret in its cookie is stored.
type Session struct {
	Digest  []byte
	Data    []byte
	Expires time.Time
}

// The lifetime of a session.
const (
	SessionIdle     = 15 * time.Minute
	SessionLifetime = 8 * time.Hour
)

// SessionEnds reports whether a session that began at a time has ended, given its age and the time
// since its last use.
func (p Person) SessionEnds(began time.Time, age, idle time.Duration) bool {
	return p.Standing() != Active || began.Before(p.SessionsSince) ||
		idle >= SessionIdle || age >= SessionLifetime
}

// The lengths of passwords, in characters.
const (
	MinPassword = 12
	MaxPassword = 200

	minBesideName = 6
)

// CheckRoles records the problems of roles.
func CheckRoles(path string, roles Roles, wrong *problem.List) {
	if len(roles) == 0 {
		wrong.Add(path, "at least one role is needed")
	}
	for i, role := range roles {
		if !slices.Contains(AllRoles, role) {
			wrong.Add(path, "%q is not a role; the roles are %s", string(role), knownRoles())
		}
		if slices.Contains(roles[:i], role) {
			wrong.Add(path, "names %q twice", string(role))
		}
	}
}

func knownRoles() string {
	names := make([]string, len(AllRoles))
	for i, role := range AllRoles {
		names[i] = string(role)
	}
	return strings.Join(names, ", ")
}

// CheckScope records the problems of a scope.
func CheckScope(s Scope, wrong *problem.List) {
	switch {
	case s.All && len(s.Banks) > 0:
		wrong.Add("banks", "must be empty when allBanks is true")
	case !s.All && len(s.Banks) == 0:
		wrong.Add("banks", "at least one bank is needed, or all banks")
	}
	for _, bank := range s.Banks {
		if bank < 1 || bank > problem.MaxID {
			wrong.Add("banks", "%d is not the number of a bank", bank)
		}
	}
}

// CheckPassword records the problems of a new password.
func CheckPassword(password, name string, wrong *problem.List) {
	length := utf8.RuneCountInString(password)
	switch {
	case length < MinPassword:
		wrong.Add("password", "must have at least %d characters", MinPassword)
	case length > MaxPassword:
		wrong.Add("password", "must have at most %d characters", MaxPassword)
	case IsRepeated(password):
		wrong.Add("password", "must not be a few characters repeated")
	case strings.Contains(strings.ToLower(name), strings.ToLower(password)):
		wrong.Add("password", "must not be the name")
	case lengthWithout(password, name) < minBesideName:
		wrong.Add("password", "must not be little more than the name")
	}
}

// IsRepeated reports whether a string repeats one to three characters, ignoring case.
func IsRepeated(text string) bool {
	const longest = 3
	characters := []rune(strings.ToLower(text))
	for period := 1; period <= min(longest, len(characters)/2); period++ {
		if slices.Equal(characters[period:], characters[:len(characters)-period]) {
			return true
		}
	}
	return false
}

// lengthWithout returns the number of characters in a password other than the name.
func lengthWithout(password, name string) int {
	return utf8.RuneCountInString(
		strings.ReplaceAll(strings.ToLower(password), strings.ToLower(name), ""))
}

// Shown returns the person as the audit shows it, in JSON.
func (p Person) Shown() (string, error) {
	return stateText(p.Name, string(p.Standing()), p.Roles, p.Scope)
}

// Shown returns the token as the audit shows it at a time, in JSON.
func (t Token) Shown(now time.Time) (string, error) {
	return stateText(t.Name, t.State(now), t.Roles, t.Scope)
}

func stateText(name, state string, roles Roles, scope Scope) (string, error) {
	text, err := json.Marshal(struct {
		Name     string `json:"name"`
		State    string `json:"state"`
		Roles    Roles  `json:"roles"`
		AllBanks bool   `json:"allBanks"`
		Banks    []int  `json:"banks,omitempty"`
	}{name, state, roles, scope.All, scope.Banks})
	return string(text), err
}

// Grants returns the roles and the scope as a string, for comparison.
func (p Person) Grants() string { return grants(p.Roles, p.Scope) }

func grants(roles Roles, scope Scope) string {
	return fmt.Sprint(roles, scope.All, scope.Banks)
}
