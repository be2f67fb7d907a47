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

// State says whether a person may sign in.
type State string

// The states of a person.
const (
	Invited State = "invited" // has set no password yet
	Active  State = "active"
	Ended   State = "ended"
	// NoRole is shown for an active person whom the OpenID Connect provider gives no role any more.
	NoRole State = "withdrawn"
)

// Person is an operator who may sign in to the console.
type Person struct {
	ID    int
	Name  string
	Roles Roles
	Scope Scope
	State State

	// OpenID is the issuer and the subject of somebody who signs in through an OpenID Connect
	// provider, empty for somebody with a password.
	OpenID string

	Created    time.Time
	LastSignIn time.Time
	// SessionsSince voids sessions that began before it. It is set with a new password, when the
	// person is ended, and when the provider refuses the person.
	SessionsSince time.Time

	Revision int
}

// Identity is who a session of the person stands for.
func (p Person) Identity() Identity {
	return Identity{Name: p.Name, ID: p.ID, Roles: p.Roles, Scope: p.Scope}
}

// Standing is the state as operators see it.
func (p Person) Standing() State {
	if p.State == Active && len(p.Roles) == 0 {
		return NoRole
	}
	return p.State
}

// IsFullAdministrator reports whether the person is an active administrator of all banks. One such
// person must remain.
func (p Person) IsFullAdministrator() bool {
	return p.State == Active && p.Scope.All && slices.Contains(p.Roles, Administrator)
}

// Token is what a program signs in with. Its text is kept as a keyed digest.
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

// TokenPrefix begins every token that is made outside a sandbox.
const TokenPrefix = "mmo_"

// Identity is who a request with the token stands for.
func (t Token) Identity() Identity {
	return Identity{
		Name: t.Name, IsToken: true, ID: t.ID, Owner: t.Owner, Roles: t.Roles, Scope: t.Scope,
	}
}

// Under returns who a request with the token stands for while its owner is as given: it can do what
// both can. It is false when the owner may not sign in.
func (t Token) Under(owner Person) (who Identity, active bool) {
	who = t.Identity()
	if !owner.Roles.MayGive(t.Roles) {
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

// State is active, expired or revoked.
func (t Token) State(now time.Time) string {
	switch {
	case !t.Revoked.IsZero():
		return "revoked"
	case !t.Expires.IsZero() && !now.Before(t.Expires):
		return "expired"
	}
	return "active"
}

// Credential is what a person with a password signs in with.
type Credential struct {
	PersonID int
	Password string // its argon2id hash; empty for none
	// TOTP is the sealed secret of the one-time codes. Without one, which a sandbox allows, the
	// password is enough.
	TOTP []byte
	// LastStep is the time step of the last code that was used: each works once.
	LastStep int64
}

// Invitation lets a person set a password, once.
type Invitation struct {
	Digest   []byte // of the text in the link
	PersonID int
	TOTP     []byte // sealed
	Expires  time.Time
}

// InvitationLasts is how long a link may be used.
const InvitationLasts = 3 * 24 * time.Hour

// Attempt is a sign-in that has failed, or has not ended yet.
type Attempt struct {
	ID      int
	Account string
	Address string
	At      time.Time
}

// After five failed sign-ins within a quarter of an hour, of one account from one address, no other
// of the pair is tried. After as many of an account from any address, or from an address to any
// account, each other waits a little before it is tried.
const (
	MaxFailures    = 5
	FailuresWithin = 15 * time.Minute
	SlowedBy       = 2 * time.Second
)

// RetryAfter returns how long a sign-in has to wait because of failures of its account from its
// address, and zero when it may be tried.
func RetryAfter(failures []Attempt, now time.Time) time.Duration {
	var recent []time.Time
	for _, attempt := range failures {
		// One of the future was noted by a clock that has been set back since.
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

// Session is a session of the console. Its text, in the cookie, is kept as a keyed digest.
type Session struct {
	Digest  []byte
	Data    []byte
	Expires time.Time
}

// How long a session lasts.
const (
	SessionIdle  = 15 * time.Minute
	SessionLasts = 8 * time.Hour
)

// SessionEnds reports whether a session has ended that began at a moment, and has this age and this
// time since its last use.
func (p Person) SessionEnds(began time.Time, age, idle time.Duration) bool {
	return p.Standing() != Active || began.Before(p.SessionsSince) ||
		idle >= SessionIdle || age >= SessionLasts
}

// The lengths of passwords.
const (
	MinPassword = 12
	MaxPassword = 200

	minBesideName = 6
)

// CheckRoles notes what is wrong with roles.
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

// CheckScope notes what is wrong with a scope.
func CheckScope(s Scope, wrong *problem.List) {
	switch {
	case s.All && len(s.Banks) > 0:
		wrong.Add("banks", "must be empty when allBanks is true")
	case !s.All && len(s.Banks) == 0:
		wrong.Add("banks", "at least one bank is needed, or allBanks")
	}
	for _, bank := range s.Banks {
		if bank < 1 || bank > problem.MaxID {
			wrong.Add("banks", "%d is not the number of a bank", bank)
		}
	}
}

// CheckPassword notes what is wrong with a new password.
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

// IsRepeated reports whether a text is one to three characters again and again, in any letter case.
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

// lengthWithout counts the characters of a password beside the name.
func lengthWithout(password, name string) int {
	return utf8.RuneCountInString(
		strings.ReplaceAll(strings.ToLower(password), strings.ToLower(name), ""))
}

// Shown is a person as the audit shows it, in JSON.
func (p Person) Shown() (string, error) {
	return stateText(p.Name, string(p.Standing()), p.Roles, p.Scope)
}

// Shown is a token as the audit shows it at a moment, in JSON.
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

// Grants is roles and scope in a text, to compare them.
func (p Person) Grants() string { return grants(p.Roles, p.Scope) }

func grants(roles Roles, scope Scope) string {
	return fmt.Sprint(roles, scope.All, scope.Banks)
}
