package auth_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pquerna/otp/totp"

	"mintmark/internal/base/clock"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/store"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testworld"
	"mintmark/internal/vault"
)

// begin is the time at which the clock of a test starts, in the middle of a time step of one-time
// codes.
var begin = time.Date(2026, time.June, 1, 12, 0, 15, 0, time.UTC)

// world is an Operators with its own database and a clock that the test moves.
type world struct {
	*auth.Operators
	t     *testing.T
	kept  store.Store
	vault *vault.Vault
	clock *clock.Clock
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldOn(t, testworld.Memory)
}

func newWorldOn(t *testing.T, open func(testing.TB, *clock.Clock) store.Store) *world {
	t.Helper()
	w := &world{t: t, vault: testworld.Keys(t), clock: clock.FrozenAt(begin)}
	w.kept = open(t, w.clock)
	w.Operators = auth.NewOperators(w.kept, w.vault, "Mintmark")
	return w
}

func (w *world) update(fn func(store.Tx) error) {
	w.t.Helper()
	if err := w.kept.Update(context.Background(), fn); err != nil {
		w.t.Fatal(err)
	}
}

const password = "correct horse battery"

// invite creates an operator and returns the invitation link.
func (w *world) invite(name string) (link secret.Text) {
	w.t.Helper()
	w.update(func(tx store.Tx) error {
		person := operator.Person{
			Name: name, Roles: operator.Roles{operator.Support}, State: operator.Invited,
			Scope: operator.Scope{Banks: []int{1}}, Created: tx.Now(),
		}
		if err := tx.Operators().Put(&person); err != nil {
			return err
		}
		text, err := auth.NewInvitation(tx, w.vault, rand.Reader, person.ID)
		link = text
		return err
	})
	return link
}

// accepted creates an operator who can sign in, and returns the secret of the one-time codes.
func (w *world) accepted(name string) (shared secret.Text) {
	w.t.Helper()
	link := w.invite(name)
	invitation, err := w.Invitation(w.t.Context(), link)
	if err != nil {
		w.t.Fatal(err)
	}
	_, err = w.Accept(w.t.Context(), auth.AcceptRequest{
		Link: link, Password: secret.New(password), Code: w.code(invitation.CodeSecret, 0),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.clock.Advance(time.Minute) // the code is spent
	return invitation.CodeSecret
}

// code returns the one-time code that is valid after a duration from now.
func (w *world) code(shared secret.Text, after time.Duration) string {
	w.t.Helper()
	code, err := totp.GenerateCode(shared.Reveal(), w.clock.Now().Add(after))
	if err != nil {
		w.t.Fatal(err)
	}
	return code
}

func (w *world) signIn(name, password, code, address string) error {
	_, err := w.SignIn(w.t.Context(), auth.SignInRequest{
		Name: name, Password: secret.New(password), Code: code,
		From: auth.From{Address: address},
	})
	return err
}

// entries returns the audit entries of an act, oldest first.
func (w *world) entries(act string) (all []audit.Entry) {
	w.t.Helper()
	err := w.kept.View(context.Background(), func(r store.Tx) error {
		const most = 100
		entries, err := r.Audit().List(0, 0, most)
		for _, entry := range entries {
			if entry.Act == act {
				all = append(all, entry)
			}
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shared := w.accepted("ada")
	used := w.code(shared, 0)
	who, err := w.SignIn(t.Context(), auth.SignInRequest{
		Name: "ada", Password: secret.New(password), Code: used,
		From: auth.From{Address: "192.0.2.1", RequestID: "r"},
	})
	if err != nil || who.Name != "ada" || !who.Roles.Has(operator.Support) || who.IsToken ||
		who.Scope.All || !who.Scope.Includes(1) {
		t.Fatalf("got %+v, %v", who, err)
	}
	for what, err := range map[string]error{
		"the code again":     w.signIn("ada", password, used, "192.0.2.2"),
		"an old code":        w.signIn("ada", password, w.code(shared, -time.Minute), ""),
		"another password":   w.signIn("ada", password+"!", w.code(shared, 30*time.Second), ""),
		"nobody":             w.signIn("eve", password, used, ""),
		"nothing":            w.signIn("", "", "", ""),
		"another's password": w.signIn("eve", "", "", ""),
	} {
		if !errors.Is(err, auth.ErrSignIn) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	w.clock.Advance(30 * time.Second)
	if err := w.signIn("ada", password, w.code(shared, 30*time.Second), ""); err != nil {
		t.Errorf("a clock that runs half a minute ahead: %v", err)
	}
	w.clock.Advance(time.Minute)
	if err := w.signIn(" Ada", password, w.code(shared, 0), ""); err != nil {
		t.Errorf("the name with a capital: %v", err)
	}
	for i := range operator.MaxFailures {
		_ = w.signIn([]string{"ada", "Ada", "\u0430da"}[i%3], password, "", "192.0.2.3")
	}
	tooMany := (*auth.TooManyError)(nil)
	if err := w.signIn("ADA", password, w.code(shared, 0), "192.0.2.3"); !errors.As(err, &tooMany) {
		t.Errorf("after %d failures under names that read alike: %v", operator.MaxFailures, err)
	}
	w.clock.Advance(-40 * 24 * time.Hour)
	set := w.code(shared, 0)
	if err := w.signIn("ada", password, set, "192.0.2.3"); err != nil {
		t.Errorf("a clock that was set back: %v", err)
	}
	if err := w.signIn("ada", password, set, ""); !errors.Is(err, auth.ErrSignIn) {
		t.Errorf("the code again: %v", err)
	}
	w.update(func(tx store.Tx) error {
		person, err := tx.Operators().Find(who.ID)
		person.State = operator.Ended
		return errors.Join(err, tx.Operators().Put(&person))
	})
	w.clock.Advance(time.Hour)
	if err := w.signIn("ada", password, w.code(shared, 0), ""); !errors.Is(err, auth.ErrSignIn) {
		t.Errorf("an ended operator: %v", err)
	}
	for _, entry := range w.entries("sign in") {
		if strings.Contains(entry.Before+entry.After+entry.Outcome+entry.Name, "eve") {
			t.Errorf("the audit holds what somebody typed: %+v", entry)
		}
	}
}

// watched is a store that counts the reads of the operator list, and records whether one was in a
// writing transaction.
type watched struct {
	store.Store
	read, written int
}

func (w *watched) View(ctx context.Context, fn func(store.Tx) error) error {
	return w.Store.View(ctx, func(r store.Tx) error { return fn(watchedTx{r, &w.read}) })
}

func (w *watched) Update(ctx context.Context, fn func(store.Tx) error) error {
	return w.Store.Update(ctx, func(tx store.Tx) error { return fn(watchedTx{tx, &w.written}) })
}

type watchedTx struct {
	store.Tx
	lists *int
}

func (t watchedTx) Operators() store.Operators { return watchedOperators{t.Tx.Operators(), t.lists} }

type watchedOperators struct {
	store.Operators
	lists *int
}

func (o watchedOperators) List() ([]operator.Person, error) {
	*o.lists++
	return o.Operators.List()
}

// TestSignInReads checks that a sign-in looks up an exact name directly, and reads all operators
// only for another spelling, never in a transaction that writes.
func TestSignInReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shared := w.accepted("ada")
	kept := &watched{Store: w.kept}
	w.Operators = auth.NewOperators(kept, w.vault, "Mintmark")
	for i, name := range []string{"ada", "ADA"} {
		if err := w.signIn(name, password, w.code(shared, 0), ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if kept.read != i || kept.written != 0 {
			t.Errorf("%s: all operators are read %d times to read, %d times to write", name,
				kept.read, kept.written)
		}
		w.clock.Advance(time.Minute)
	}
}

// TestSignInOfAnotherVersion checks that failures are counted under the lower-case name, as the
// previous version does, so that two versions running side by side grant no extra attempts.
func TestSignInOfAnotherVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shared := w.accepted("Paula") // whose name looks like that of Pauia
	const address = "192.0.2.1"
	account := hex.EncodeToString(w.vault.DigestSecret("operator account paula"))
	w.update(func(tx store.Tx) error {
		for range operator.MaxFailures {
			err := tx.Sessions().PutSignIn(&operator.Attempt{
				Account: account, Address: address, At: tx.Now(),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	tooMany := (*auth.TooManyError)(nil)
	for _, name := range []string{"Paula", "pauIa"} {
		if err := w.signIn(name, password, w.code(shared, 0), address); !errors.As(err, &tooMany) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestSignInsAreLimited checks that after five failures for an account from one address, that pair
// is rejected for a quarter of an hour, even with the right password. The same account from other
// addresses, and other accounts from that address, are slowed down, and the audit records all of
// it.
func TestSignInsAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		ada, bob := w.accepted("ada"), w.accepted("bob")
		const near, far = "192.0.2.1", "192.0.2.9"
		for range operator.MaxFailures {
			if err := w.signIn("ada", "wrong", "", near); !errors.Is(err, auth.ErrSignIn) {
				t.Fatalf("got %v", err)
			}
			w.clock.Advance(time.Minute)
		}
		tooMany := (*auth.TooManyError)(nil)
		for range 3 {
			err := w.signIn("ADA", password, w.code(ada, 0), near)
			if !errors.As(err, &tooMany) || tooMany.RetryAfter != 10*time.Minute {
				t.Fatalf("got %v", err)
			}
		}
		slowed := func(name, password, code, address string) error {
			t.Helper()
			began := time.Now()
			err := w.signIn(name, password, code, address)
			if took := time.Since(began); took != operator.SlowedBy {
				t.Errorf("%s from %s: answered after %v", name, address, took)
			}
			return err
		}
		if err := slowed("ada", password, w.code(ada, 0), far); err != nil {
			t.Errorf("from elsewhere: %v", err)
		}
		if err := slowed("bob", password, w.code(bob, 0), near); err != nil {
			t.Errorf("another from there: %v", err)
		}
		for i := range 2 * operator.MaxFailures {
			err := slowed(fmt.Sprint("nobody ", i), "wrong", "", near)
			if !errors.Is(err, auth.ErrSignIn) {
				t.Errorf("an address is shut: %v", err)
			}
			err = slowed("ada", "wrong", "", fmt.Sprint("198.51.100.", i))
			if !errors.Is(err, auth.ErrSignIn) {
				t.Errorf("an account is shut: %v", err)
			}
		}
		w.clock.Advance(tooMany.RetryAfter)
		if err := slowed("ada", password, w.code(ada, 0), near); err != nil {
			t.Errorf("after the time that was told: %v", err)
		}
		err := errors.Join(w.FlushRefusals(t.Context()), w.FlushRefusals(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		outcomes := map[string]int{}
		for _, entry := range w.entries("sign in") {
			outcomes[entry.Outcome]++
		}
		want := map[string]int{
			"refused":          operator.MaxFailures + 1 + 2*operator.MaxFailures,
			"refused, 9 times": 1, "refused without looking": 1,
			"refused without looking, 2 times": 1, "signed in": 3,
		}
		if !maps.Equal(outcomes, want) {
			t.Errorf("the audit has %v", outcomes)
		}
	})
}

// TestSignInsOfANetwork checks that the addresses of an IPv6 /64 count as one source, that
// addresses outside it do not, and that IPv4-mapped IPv6 counts as IPv4.
func TestSignInsOfANetwork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for name, row := range map[string]struct{ fails, same, other string }{
			"ada": {"2001:db8:0:1::N", "2001:db8:0:1:ffff::1", "2001:db8:0:2::1"},
			"bob": {"2001:db8:0:3::1%ethN", "2001:db8:0:3::9", "2001:db8:0:4::9"},
			"eve": {"::ffff:192.0.2.1", "192.0.2.1", "::ffff:192.0.2.2"},
		} {
			for i := range operator.MaxFailures {
				address := strings.ReplaceAll(row.fails, "N", strconv.Itoa(i))
				if err := w.signIn(name, "wrong", "", address); !errors.Is(err, auth.ErrSignIn) {
					t.Fatalf("%s from %s: %v", name, address, err)
				}
			}
			tooMany := (*auth.TooManyError)(nil)
			if err := w.signIn(name, "wrong", "", row.same); !errors.As(err, &tooMany) {
				t.Errorf("%s from %s: %v", name, row.same, err)
			}
			if err := w.signIn(name, "wrong", "", row.other); !errors.Is(err, auth.ErrSignIn) {
				t.Errorf("%s from %s: %v", name, row.other, err)
			}
		}
	})
}

// TestKnownBrowser checks that a browser from which an operator has signed in before is neither
// locked out nor slowed down by other people's failures at its address, and has its own limit.
func TestKnownBrowser(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		ada := w.accepted("ada")
		const near = "192.0.2.1"
		for range operator.MaxFailures {
			_ = w.signIn("ada", "wrong", "", near)
		}
		who, err := w.SignIn(t.Context(), auth.SignInRequest{
			Name: "ada", Password: secret.New(password), Code: w.code(ada, 0),
		})
		if err != nil {
			t.Fatal(err)
		}
		from := func(device secret.Text, password string) error {
			t.Helper()
			w.clock.Advance(30 * time.Second)
			began := time.Now()
			_, err := w.SignIn(t.Context(), auth.SignInRequest{
				Name: "ada", Password: secret.New(password), Code: w.code(ada, 0), Device: device,
				From: auth.From{Address: near},
			})
			if took := time.Since(began); took != 0 {
				t.Errorf("answered after %v", took)
			}
			return err
		}
		known, errOwn := w.NewDevice(who.ID)
		others, errOther := w.NewDevice(who.ID + 1)
		if err := errors.Join(errOwn, errOther); err != nil {
			t.Fatal(err)
		}
		tooMany := (*auth.TooManyError)(nil)
		for _, device := range []secret.Text{{}, others, secret.New(known.Reveal() + "x")} {
			if err := from(device, password); !errors.As(err, &tooMany) {
				t.Errorf("an unknown browser: got %v", err)
			}
		}
		if err := from(known, password); err != nil {
			t.Errorf("the known browser: got %v", err)
		}
		for range operator.MaxFailures {
			if err := from(known, "wrong"); !errors.Is(err, auth.ErrSignIn) {
				t.Errorf("the known browser with a wrong password: got %v", err)
			}
		}
		if err := from(known, password); !errors.As(err, &tooMany) {
			t.Errorf("the known browser after too many: got %v", err)
		}
	})
}

// TestKnownBrowserAmongStrangers checks that a browser from which an operator has signed in before
// does not wait for the password checks of unknown browsers.
func TestKnownBrowserAmongStrangers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		ada := w.accepted("ada")
		who, err := w.SignIn(t.Context(), auth.SignInRequest{
			Name: "ada", Password: secret.New(password), Code: w.code(ada, 0),
		})
		known, errDevice := w.NewDevice(who.ID)
		if err := errors.Join(err, errDevice); err != nil {
			t.Fatal(err)
		}
		w.Occupy()
		w.clock.Advance(time.Minute)
		for device, want := range map[secret.Text]error{{}: context.DeadlineExceeded, known: nil} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := w.SignIn(ctx, auth.SignInRequest{
				Name: "ada", Password: secret.New(password), Code: w.code(ada, 0), Device: device,
			})
			if !errors.Is(err, want) {
				t.Errorf("a browser with %d bytes: %v", len(device.Reveal()), err)
			}
		}
	})
}

// TestSignInsAtOnce checks that concurrent sign-ins do not get around the limit.
func TestSignInsAtOnce(t *testing.T) {
	t.Parallel()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		manyAtOnce(t, newWorld(t))
	})
	t.Run("postgresql", func(t *testing.T) {
		t.Parallel()
		manyAtOnce(t, newWorldOn(t, func(t testing.TB, c *clock.Clock) store.Store {
			return testworld.Server(t, pgtest.URL(t), c)
		}))
	})
}

func manyAtOnce(t *testing.T, w *world) {
	t.Helper()
	const tries = 12
	errs := make([]error, tries)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = w.signIn("ada", "wrong", "", "192.0.2.1") })
	}
	all.Wait()
	looked := 0
	for _, err := range errs {
		if errors.Is(err, auth.ErrSignIn) {
			looked++
		}
	}
	if looked != operator.MaxFailures {
		t.Errorf("%d of %d were looked at", looked, tries)
	}
	// Refusals within a minute share an entry.
	if got := len(w.entries("sign in")); got != operator.MaxFailures+1 {
		t.Errorf("the audit has %d entries", got)
	}
}

func TestInvitation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	link := w.invite("ada")
	invitation, err := w.Invitation(t.Context(), link)
	if err != nil || invitation.Name != "ada" {
		t.Fatalf("got %+v, %v", invitation, err)
	}
	if image, err := invitation.QRCode(); err != nil || !strings.HasPrefix(string(image), "\x89PNG") {
		t.Errorf("the QR code is %.8q, %v", image, err)
	}
	accept := func(link secret.Text, password, code string) error {
		_, err := w.Accept(t.Context(), auth.AcceptRequest{
			Link: link, Password: secret.New(password), Code: code,
		})
		return err
	}
	code := w.code(invitation.CodeSecret, 0)
	for _, weak := range []string{
		"", "short", "aaaaaaaaaaaaaaaaaa", strings.Repeat("ab", 101), "éééééééééééé",
		"e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", "adaAdaADAada", "ada-ada-ada-1",
	} {
		invalid := (*problem.InvalidError)(nil)
		if err := accept(link, weak, code); !errors.As(err, &invalid) {
			t.Errorf("%q: got %v", weak, err)
		}
	}
	for range operator.MaxFailures + 1 {
		if err := w.signIn("ada", "wrong", "", ""); err == nil {
			t.Error("a wrong password is taken")
		}
		if err := accept(link, password, "000000x"); !errors.Is(err, auth.ErrSignIn) {
			t.Errorf("a wrong code: got %v", err)
		}
	}
	if err := accept(secret.New("another"), password, code); !errors.Is(err, auth.ErrInvitation) {
		t.Errorf("another link: got %v", err)
	}
	if err := accept(link, password, code); err != nil {
		t.Fatal(err)
	}
	if err := accept(link, password, code); !errors.Is(err, auth.ErrInvitation) {
		t.Errorf("the link again: got %v", err)
	}
	late := w.invite("bob")
	w.clock.Advance(operator.InvitationLifetime)
	if _, err := w.Invitation(t.Context(), late); !errors.Is(err, auth.ErrInvitation) {
		t.Errorf("after three days: got %v", err)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := operator.Token{
		Name: "ci", Digest: auth.DigestToken(w.vault, "mmo_text"),
		Roles: operator.Roles{operator.Security}, Scope: operator.Scope{All: true},
		Created: begin, Expires: begin.Add(time.Hour),
	}
	w.update(func(tx store.Tx) error { return tx.Tokens().Put(&token) })
	known := func(text string) bool {
		t.Helper()
		who, known, err := w.AuthenticateToken(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		if known && (who.Name != "ci" || !who.IsToken || !who.Roles.Has(operator.Security)) {
			t.Errorf("got %+v", who)
		}
		return known
	}
	used := func() time.Time {
		var match operator.Token
		err := w.kept.View(t.Context(), func(r store.Tx) (err error) {
			match, err = r.Tokens().Find(token.ID)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return match.LastUsed
	}
	if !known("mmo_text") || known("mmo_tex") || known("") {
		t.Error("a token is taken for another")
	}
	w.clock.Advance(time.Second)
	if !known("mmo_text") || !used().Equal(begin) {
		t.Errorf("it was used %v", used())
	}
	w.clock.Advance(time.Minute)
	if !known("mmo_text") || !used().Equal(begin.Add(time.Minute+time.Second)) {
		t.Errorf("it was used %v", used())
	}
	w.clock.Advance(time.Hour)
	if known("mmo_text") {
		t.Error("it is used when it has expired")
	}
	token.Expires, token.Revoked = time.Time{}, begin
	w.update(func(tx store.Tx) error { return tx.Tokens().Put(&token) })
	if known("mmo_text") {
		t.Error("it is used when it is revoked")
	}
}

// TestTokensFollowTheirOwner checks that a token has the current rights of its owner, and ends with
// its owner.
func TestTokensFollowTheirOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := operator.Person{
		Name: "ada", State: operator.Active, Created: begin, OpenID: "x#1",
		Roles: operator.Roles{operator.Administrator}, Scope: operator.Scope{All: true},
	}
	token := operator.Token{
		Name: "ci", Digest: auth.DigestToken(w.vault, "mmo_text"), Created: begin,
		Roles: operator.Roles{operator.Administrator}, Scope: operator.Scope{Banks: []int{1, 2}},
	}
	w.update(func(tx store.Tx) error {
		err := tx.Operators().Put(&owner)
		token.Owner = operator.Owner{Kind: operator.OwnedByPerson, ID: owner.ID}
		return errors.Join(err, tx.Tokens().Put(&token))
	})
	want := func(what string, roles operator.Roles, banks ...int) {
		t.Helper()
		w.update(func(tx store.Tx) error { return tx.Operators().Put(&owner) })
		who, known, err := w.AuthenticateToken(t.Context(), "mmo_text")
		now, active, errNow := w.Current(t.Context(), token.Identity())
		if err := errors.Join(err, errNow); err != nil || known != (roles != nil) || active != known {
			t.Errorf("%s: %v, %v, %v", what, known, active, err)
		}
		if known && (!slices.Equal(who.Roles, roles) || !slices.Equal(who.Scope.Banks, banks) ||
			!slices.Equal(now.Roles, roles)) {
			t.Errorf("%s: %+v", what, who)
		}
	}
	want("an administrator", operator.Roles{operator.Administrator}, 1, 2)
	owner.Roles = operator.Roles{operator.Auditor, operator.Support}
	owner.Scope = operator.Scope{Banks: []int{2, 3}}
	want("fewer roles and banks", operator.Roles{operator.Support, operator.Auditor}, 2)
	owner.Roles = operator.Roles{}
	want("no role", nil)
	owner.Roles, owner.State = operator.Roles{operator.Support}, operator.Ended
	want("an ended owner", nil)
}

// TestSessionsEnd checks that sessions end by time, with a new password and with the operator.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.accepted("ada")
	var ada operator.Person
	w.update(func(tx store.Tx) (err error) {
		ada, err = tx.Operators().Find(1)
		return err
	})
	now := w.clock.Now()
	open := func(began, used time.Time) bool {
		t.Helper()
		_, _, open, err := w.AuthenticateSession(t.Context(), auth.Session{
			OperatorID: ada.ID, Began: began, Opened: began, Used: used,
		})
		if err != nil {
			t.Fatal(err)
		}
		return open
	}
	if !open(now, now) || !open(now, now.Add(-operator.SessionIdle+time.Millisecond)) ||
		open(now, now.Add(-operator.SessionIdle)) {
		t.Error("idle sessions end at the wrong moment")
	}
	if open(begin.Add(-time.Millisecond), now) {
		t.Error("a session from before the password is open")
	}
	w.clock.Advance(operator.SessionLifetime - time.Millisecond)
	if later := w.clock.Now(); !open(now, later) || open(now.Add(-time.Millisecond), later) {
		t.Error("long sessions end at the wrong moment")
	}
	ada.State = operator.Ended
	w.update(func(tx store.Tx) error { return tx.Operators().Put(&ada) })
	if later := w.clock.Now(); open(later, later) {
		t.Error("the session of an ended operator is open")
	}
}

// TestSignInClaimed signs in people through an identity provider.
func TestSignInClaimed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.accepted("ada")
	claim := auth.Claimed{
		Issuer: "https://issuer.example", Subject: "7", Name: "grace",
		Roles: operator.Roles{operator.Auditor}, Scope: operator.Scope{All: true},
	}
	who, err := w.SignInClaimed(t.Context(), claim)
	if err != nil || who.Name != "grace" || !who.Roles.Has(operator.Auditor) {
		t.Fatalf("got %+v, %v", who, err)
	}
	claim.Roles, claim.Scope = operator.Roles{operator.Support}, operator.Scope{Banks: []int{2}}
	again, err := w.SignInClaimed(t.Context(), claim)
	if err != nil || again.ID != who.ID || again.Roles.Has(operator.Auditor) || again.Scope.All {
		t.Fatalf("with another claim: got %+v, %v", again, err)
	}
	for what, change := range map[string]func(*auth.Claimed){
		"no role":        func(c *auth.Claimed) { c.Roles = nil },
		"another's name": func(c *auth.Claimed) { c.Name = "ada" },
		"the name again": func(c *auth.Claimed) { c.Subject = "8" },
		"no name":        func(c *auth.Claimed) { c.Name = "" },
	} {
		wrong := claim
		change(&wrong)
		if _, err := w.SignInClaimed(t.Context(), wrong); !errors.Is(err, auth.ErrSignIn) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	w.update(func(tx store.Tx) error {
		person, err := tx.Operators().Find(who.ID)
		person.State = operator.Ended
		return errors.Join(err, tx.Operators().Put(&person))
	})
	if _, err := w.SignInClaimed(t.Context(), claim); !errors.Is(err, auth.ErrSignIn) {
		t.Errorf("an ended operator: got %v", err)
	}
	if got := len(w.entries("sign in by OpenID Connect")); got != 7 {
		t.Errorf("the audit has %d entries", got)
	}
	w.wantGrants()
	// An operator without a password cannot sign in with one.
	if err := w.signIn("grace", "", "", ""); !errors.Is(err, auth.ErrSignIn) {
		t.Errorf("without a password: got %v", err)
	}
}

// wantGrants compares the audit entries of the roles that the provider granted and withdrew in
// TestSignInClaimed.
func (w *world) wantGrants() {
	w.t.Helper()
	const (
		auditor = `{"name":"grace","state":"active","roles":["auditor"],"allBanks":true}`
		support = `{"name":"grace","state":"active","roles":["support"],"allBanks":false,"banks":[2]}`
		none    = `{"name":"grace","state":"withdrawn","roles":[],"allBanks":false,"banks":[2]}`
	)
	var got []string
	for _, e := range slices.Concat(w.entries("create operator"), w.entries("change operator")) {
		got = append(got, e.Outcome+" "+e.Before+" "+e.After)
	}
	want := []string{
		"changed " + auditor + " " + support, "changed " + support + " " + none,
		"created  " + auditor,
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		w.t.Errorf("the audit has:\n%s", strings.Join(got, "\n"))
	}
}

// TestProviderWithdraws rejects a person to whom the provider no longer assigns a role, or whose
// name it changed: session and roles are removed. The last administrator loses the session but
// keeps the roles.
func TestProviderWithdraws(t *testing.T) {
	t.Parallel()
	boss := auth.Claimed{
		Issuer: "https://issuer.example", Subject: "7", Name: "grace",
		Roles: operator.Roles{operator.Administrator}, Scope: operator.Scope{All: true},
	}
	less := boss
	less.Roles = operator.Roles{operator.Support}
	none, renamed := boss, boss
	none.Roles, renamed.Name = nil, "ada"
	for what, row := range map[string]struct {
		second bool // there is another administrator
		next   auth.Claimed
		want   operator.State
		fine   bool
	}{
		"no role":                 {true, none, operator.NoRole, false},
		"another's name":          {true, renamed, operator.NoRole, false},
		"fewer roles":             {true, less, operator.Active, true},
		"no role for the last":    {false, none, operator.Active, false},
		"fewer roles of the last": {false, less, operator.Active, false},
	} {
		w := newWorld(t)
		w.accepted("ada")
		if row.second {
			w.update(func(tx store.Tx) error {
				ada, err := tx.Operators().Find(1)
				ada.Roles, ada.Scope = boss.Roles, boss.Scope
				return errors.Join(err, tx.Operators().Put(&ada))
			})
		}
		who, err := w.SignInClaimed(t.Context(), boss)
		if err != nil {
			t.Fatal(err)
		}
		session := auth.Session{OperatorID: who.ID, Began: begin, Opened: begin, Used: begin}
		w.clock.Advance(time.Second)
		if _, err = w.SignInClaimed(t.Context(), row.next); (err == nil) != row.fine {
			t.Errorf("%s: got %v", what, err)
		}
		now, _, open, err := w.AuthenticateSession(t.Context(), session)
		if err != nil || open != row.fine || open && !slices.Equal(now.Roles, row.next.Roles) {
			t.Errorf("%s: the session is open: %v, %+v, %v", what, open, now, err)
		}
		w.update(func(tx store.Tx) error {
			person, err := tx.Operators().Find(who.ID)
			if person.Standing() != row.want || row.want != operator.NoRole && len(person.Roles) == 0 {
				t.Errorf("%s: %+v", what, person)
			}
			return err
		})
		if _, err := w.SignInClaimed(t.Context(), boss); err != nil {
			t.Errorf("%s: with the role again: %v", what, err)
		}
	}
}
