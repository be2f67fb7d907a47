package app

import (
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/operate/doctor"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testinstall"
	"mintmark/internal/testkit/testrun"
)

// jumpy is a production installation on a machine whose clock the test sets.
type jumpy struct {
	*testing.T
	*App
	lines
	logged testrun.Events

	setting sync.Mutex
	started time.Time
	running time.Duration // since the start
	off     time.Duration // error of the wall clock
}

func (j *jumpy) read() (time.Time, time.Duration) {
	j.setting.Lock()
	defer j.setting.Unlock()
	return j.started.Add(j.running + j.off), j.running
}

// pass lets time d pass and sets the error of the wall clock.
func (j *jumpy) pass(d, off time.Duration) {
	j.setting.Lock()
	defer j.setting.Unlock()
	j.running, j.off = j.running+d, off
}

func (j *jumpy) Write(line []byte) (int, error) {
	defer j.logged.Happened()
	return j.lines.Write(line)
}

// says waits until the log has the given number of lines with a text.
func (j *jumpy) says(text string, times int) {
	j.Helper()
	j.logged.Until(j.T, text, func() bool {
		j.mu.Lock()
		defer j.mu.Unlock()
		return strings.Count(strings.Join(j.text, "\n"), text) == times
	})
}

// signIn signs in as ada, and returns the error of the act's time.
func (j *jumpy) signIn() (off time.Duration) {
	j.Helper()
	_, err := j.people.SignIn(j.Context(), auth.SignInRequest{
		Name: "ada", Password: secret.New("correct horse"), From: auth.From{Address: "192.0.2.1"},
	})
	if err != nil {
		j.Fatal(err)
	}
	at, _, err := j.service.Overview.NewestAct(j.Context())
	if err != nil {
		j.Fatal(err)
	}
	now, _ := j.read()
	return at.Sub(now)
}

// open starts a session if begin is set, and reports whether it is open.
func (j *jumpy) open(session string, begin bool) bool {
	j.Helper()
	if begin {
		err := j.people.Sessions().CommitCtx(j.Context(), session, []byte{1}, time.Time{})
		if err != nil {
			j.Fatal(err)
		}
	}
	_, open, err := j.people.Sessions().FindCtx(j.Context(), session)
	if err != nil {
		j.Fatal(err)
	}
	return open
}

// TestClockJumps sets the clock of the machine ahead by 30 days for a second, back by 2 hours and
// back by 40 days. Acts must have the right time, people must be able to sign in, sessions must
// end, and every jump must be logged.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	j := &jumpy{T: t}
	location := installation.Location{Data: filepath.Join(t.TempDir(), "data")}
	testinstall.Init(t, location) // by the real clock
	j.started = time.Now().Add(time.Minute).Truncate(time.Second)
	begin := func() {
		j.App = start(t, Settings{
			Data: location.Data, Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0",
			PublicURL: "https://cards.example.com", Clock: clock.Follow(clock.NewMachine(j.read)),
			Log: slog.New(slog.NewTextHandler(j, nil)),
		})
	}
	begin()
	hash, err := auth.HashPassword(secret.New("correct horse"), true)
	if err != nil {
		t.Fatal(err)
	}
	err = j.store.Update(t.Context(), func(tx store.Tx) error {
		ada := operator.Person{
			Name: "ada", Roles: operator.Roles{operator.Auditor}, State: operator.Active,
			Scope: operator.Scope{All: true}, Created: tx.Now(), SessionsSince: tx.Now(),
		}
		if err := tx.Operators().Put(&ada); err != nil {
			return err
		}
		return tx.Operators().PutCredential(operator.Credential{PersonID: ada.ID, Password: hash})
	})
	if err != nil {
		t.Fatal(err)
	}
	const day, jumped, taken = 24 * time.Hour, "level=ERROR msg=\"system clock jumped",
		"level=ERROR msg=\"system time adopted"
	right := func(what string) {
		t.Helper()
		if off := j.signIn(); off.Abs() > 5*time.Second {
			t.Errorf("%s an act is dated %v off", what, off)
		}
	}
	right("at first")
	if !j.open("first", true) {
		t.Error("a new session is closed")
	}
	j.pass(time.Second, 30*day)
	j.says(jumped, 1)
	if off := j.signIn(); off != -30*day {
		t.Errorf("a second after a jump an act is dated %v off the clock", off)
	}
	j.pass(time.Second, 0)
	right("after a second of 30 days ahead")
	for i, off := range []time.Duration{-2 * time.Hour, -40 * day} {
		j.pass(time.Second, off)
		j.says(jumped, 2+i)
		j.pass(5*time.Second, off)
		j.says(taken, 1+i)
		right("after a jump by " + off.String())
		if j.open("first", false) || !j.open("second", true) {
			t.Error("a session of the future is open, or one of now closed")
		}
		j.pass(operator.SessionLifetime, off)
		if j.open("second", false) {
			t.Errorf("a session does not end after a jump by %v", off)
		}
	}
	wantMetrics(t, scrape(t, j.App), "mintmark_clock_jumps_total 3")
	_, text := testrun.Fetch(t, http.MethodGet, j.AdminURL()+"/readyz?verbose")
	if !strings.Contains(text, `"clock": {`) || !strings.Contains(text, `"by": "-958h0m0s"`) {
		t.Errorf("/readyz?verbose answers %s", text)
	}
	stop(t, j.App)

	// The clock is set back while the server is stopped.
	j.pass(time.Hour, -50*day)
	begin()
	j.says("level=ERROR msg=\"database clock was set back: the newest act is in the future", 1)
	right("after a start of the past")
	stop(t, j.App)
	settings := Settings{Data: location.Data, Clock: clock.Follow(clock.NewMachine(j.read))}
	checks := Examine(t.Context(), "", settings, nil, false, "").Checks
	i := slices.IndexFunc(checks, func(f doctor.Finding) bool { return f.Name == "clock" })
	if finding := checks[i]; finding.Result != doctor.Warning ||
		!strings.Contains(finding.Found, "jumped by -231h") {
		t.Errorf("doctor finds %+v", finding)
	}
}
