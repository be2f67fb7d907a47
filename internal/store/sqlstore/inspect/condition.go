package inspect

import (
	"errors"
	"time"

	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Sealing is the state of the audit log. A time is zero if there is none.
type Sealing struct {
	OldestUnsealed time.Time // of the act of the oldest entry that is not sealed yet
	Sealed         time.Time // when the newest batch was sealed
	Checkpoint     string    // its signed note
	LastBackup     time.Time // of the newest entry about a backup
	ClockJump      NamedTime // the newest entry about a jump of a node's clock, and its time
}

const (
	oldestUnsealed = `SELECT acted_at FROM audit
		WHERE audit_id > (SELECT COALESCE(MAX(newest_audit_id), 0) FROM sealed_batches)
		ORDER BY audit_id LIMIT 1`
	lastBackup = `SELECT acted_at FROM audit
		WHERE card_id = 0 AND subject_kind = 'installation' AND route = 'backup'
		ORDER BY audit_id DESC LIMIT 1`
	clockJump = `SELECT outcome, acted_at FROM audit
		WHERE card_id = 0 AND subject_kind = 'installation' AND route = 'clock'
		ORDER BY audit_id DESC LIMIT 1`
)

func (f *Sealing) look(s db.Session, r store.Tx) error {
	jump := []any{&f.ClockJump.Name, db.Time{To: &f.ClockJump.At}}
	if _, err := db.Find(s, jump, clockJump); err != nil {
		return err
	}
	for text, to := range map[string]*time.Time{
		oldestUnsealed: &f.OldestUnsealed, lastBackup: &f.LastBackup,
	} {
		if _, err := db.Find(s, []any{db.Time{To: to}}, text); err != nil {
			return err
		}
	}
	head, err := r.AuditLog().FindHead()
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	f.Sealed, f.Checkpoint = head.At, head.Note
	return err
}

// NamedTime is a name with the time until which it is valid, or since which a state has lasted.
type NamedTime struct {
	Name string
	At   time.Time
}

// Waiting lists what has failed, or needs someone's attention.
type Waiting struct {
	FailedOrders   int
	IgnoredReports int // of the last week

	FullBins       []string    // active ones with few free numbers
	LateWebhooks   []NamedTime // with the time since which the oldest retried delivery has failed
	PausedWebhooks []string
	Leases         []NamedTime // with their holders
	Fences         []NamedTime // of programs
}

const (
	failedOrders = `SELECT COUNT(*) FROM orders WHERE state = 'failed' AND dropped_at IS NULL`
	ignored      = `SELECT COUNT(*) FROM reports WHERE result = 'ignored' AND received_at > $1`
	// At least nine of ten numbers are issued.
	fullBins = `SELECT 'BIN ' || b.bin_id || ' of program ' || b.program_id || ' has issued ' ||
			n.issued || ' of ' || b.size || ' numbers'
		FROM (SELECT bin_id, program_id,
				CAST(last_body AS BIGINT) - CAST(first_body AS BIGINT) + 1 AS size
			FROM bins WHERE is_active) b
		JOIN (SELECT bin_id, COUNT(*) AS issued FROM card_numbers GROUP BY bin_id) n
			ON n.bin_id = b.bin_id
		WHERE n.issued * 10 >= b.size * 9 ORDER BY b.bin_id`
	lateWebhooks = `SELECT w.name, MIN(d.since) FROM deliveries d
			JOIN webhooks w ON w.webhook_id = d.webhook_id
		WHERE d.state = 'waiting' AND d.tries > 0 AND w.deleted_at IS NULL
		GROUP BY w.webhook_id, w.name ORDER BY w.webhook_id`
	pausedWebhooks = `SELECT name || ': ' || paused_because FROM webhooks
		WHERE paused AND paused_because <> '' ORDER BY webhook_id`
	listFences = `SELECT 'program ' || program_id, fenced_at FROM programs
		WHERE fenced_at IS NOT NULL ORDER BY program_id`
	listLeases = `SELECT name || ' of ' || holder, until_at FROM leases ORDER BY name`
)

const week = 7 * 24 * time.Hour

func (f *Waiting) look(s db.Session) error {
	return s.Query(
		db.Row([]any{&f.FailedOrders}, failedOrders),
		db.Row([]any{&f.IgnoredReports}, ignored, time.Now().Add(-week).UnixMilli()),
		db.Rows(&f.FullBins, readText, fullBins),
		db.Rows(&f.LateWebhooks, readUntil, lateWebhooks),
		db.Rows(&f.PausedWebhooks, readText, pausedWebhooks),
		db.Rows(&f.Leases, readUntil, listLeases),
		db.Rows(&f.Fences, readUntil, listFences))
}

func readUntil(row db.Scan) (NamedTime, error) {
	var u NamedTime
	err := row(&u.Name, db.Time{To: &u.At})
	return u, err
}

func readText(row db.Scan) (string, error) {
	var text string
	err := row(&text)
	return text, err
}

// People lists the people and programs with access to a production database.
type People struct {
	Production bool

	Administrators int         // those with all rights
	Invited        []string    // those with all rights once they accept their invitation
	OneFactor      []string    // those who sign in with a password alone
	Local          []NamedTime // those with a password, and their last sign-in
	Tokens         []NamedTime // valid ones; the zero time for one that never expires
	NoOwner        []string    // valid tokens without a known owner
	FourEyes       []string    // programs that require a second operator
	Keys           []NamedTime // of callers, with the time at which their last secret expires
}

const oneFactor = `SELECT o.name FROM operators o
		JOIN operator_credentials c ON c.operator_id = o.operator_id
	WHERE o.state = 'active' AND c.totp IS NULL ORDER BY o.name`

func (p *People) look(s db.Session, r store.Tx) error {
	installed, err := r.Installation().Find()
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	p.Production = err == nil && installed.Environment == store.Production
	if err := s.Query(db.Rows(&p.OneFactor, readText, oneFactor)); err != nil {
		return err
	}
	all, err := r.Operators().List()
	if err != nil {
		return err
	}
	for _, person := range all {
		if person.IsFullAdministrator() {
			p.Administrators++
		}
		if person.State == operator.Invited && person.Roles.Has(operator.Administrator) && person.Scope.All {
			p.Invited = append(p.Invited, person.Name)
		}
		if person.OpenID == "" && !person.LastSignIn.IsZero() {
			p.Local = append(p.Local, NamedTime{person.Name, person.LastSignIn})
		}
	}
	if err := p.lookAtTokens(r); err != nil {
		return err
	}
	if err := p.lookAtPrograms(r); err != nil {
		return err
	}
	return p.lookAtKeys(r)
}

func (p *People) lookAtTokens(r store.Tx) error {
	all, err := r.Tokens().List()
	for _, token := range all {
		if !token.Revoked.IsZero() {
			continue
		}
		p.Tokens = append(p.Tokens, NamedTime{token.Name, token.Expires})
		if token.Owner.Kind == "" {
			p.NoOwner = append(p.NoOwner, token.Name)
		}
	}
	return err
}

func (p *People) lookAtPrograms(r store.Tx) error {
	all, err := r.Programs().List()
	for _, id := range all {
		prog, err := r.Programs().Find(id)
		if err != nil {
			return err
		}
		if prog.FourEyes {
			p.FourEyes = append(p.FourEyes, prog.Settings.Name)
		}
	}
	return err
}

func (p *People) lookAtKeys(r store.Tx) error {
	all, err := r.Keys().List()
	for _, key := range all {
		if end, ok := key.Ends(); ok {
			p.Keys = append(p.Keys, NamedTime{key.Title(), end})
		}
	}
	return err
}
