package events

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/audit"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

const (
	// KeyWarning is how long before the expiry of a secret its program is warned.
	KeyWarning = 14 * 24 * time.Hour
	// newsLife is how long a date of a document is news. A document that is loaded long after it
	// came into force is history.
	newsLife = 30 * 24 * time.Hour
	// noticeBatch limits the notices that one transaction stores, so that callers do not wait.
	noticeBatch = 100
)

// AnnounceDocuments stores one audit entry for each document that has come into force, and one for
// each that has expired, in each program of the bank. It returns the number of entries. It is a
// background job, and idempotent.
func (s *Service) AnnounceDocuments(ctx context.Context) (told int, err error) {
	for _, kind := range []store.NoticeKind{store.DocumentEffective, store.DocumentExpired} {
		for {
			find := func(tx store.Tx) ([]store.DocumentTime, error) {
				now := tx.Now()
				return tx.Due().ListDocuments(kind, now.Add(-newsLife), now, noticeBatch)
			}
			moments, err := store.ViewOf(ctx, s.Store, find)
			if err != nil {
				return told, fmt.Errorf("find documents with notices due: %s: %w", kind, err)
			}
			notices := make([]notice, 0, len(moments))
			for _, m := range moments {
				notices = append(notices, documentNotice(m))
			}
			given, err := s.putNotices(ctx, issuing.DocumentsJob, notices)
			told += given
			if err != nil {
				return told, err
			}
			if given == 0 {
				break
			}
		}
	}
	return told, nil
}

func documentNotice(m store.DocumentTime) notice {
	member := "effectiveDate"
	if m.Kind == store.DocumentExpired {
		member = "expireDate"
	}
	return notice{m.Notice, audit.Entry{
		Act: string(m.Kind), ProgramID: m.ProgramID, Outcome: issuing.OutcomeElapsed,
		Subject: audit.Of(audit.Document, m.DocumentID),
		After: audit.Members("culture", m.Culture, "documentType", m.Type,
			member, audit.Moment(m.Moment)),
	}}
}

// WarnOfKeys stores one audit entry for each secret of an API key that is about to expire, and
// returns the number of entries. It is a background job, and idempotent.
func (s *Service) WarnOfKeys(ctx context.Context) (told int, err error) {
	notices, err := store.ViewOf(ctx, s.Store, func(tx store.Tx) (notices []notice, err error) {
		keys, err := tx.Keys().List()
		for _, key := range keys {
			notices = append(notices, keyNotices(key, tx.Now())...)
		}
		return notices, err
	})
	if err != nil {
		return 0, fmt.Errorf("find expiring keys: %w", err)
	}
	return s.putNotices(ctx, issuing.KeysJob, notices)
}

// keyNotices returns the warnings about the secrets of a key. A secret is identified by a part of
// its digest.
func keyNotices(key apikey.Key, now time.Time) []notice {
	var notices []notice
	for _, secret := range key.Secrets {
		ends := secret.Expires
		if !key.Revoked.IsZero() || ends.IsZero() || !now.Before(ends) ||
			now.Before(ends.Add(-KeyWarning)) {
			continue
		}
		digest := hex.EncodeToString(secret.Digest[:min(8, len(secret.Digest))])
		notices = append(notices, notice{
			store.Notice{Kind: store.KeyExpiring, Subject: key.Name + "/" + digest, Moment: ends},
			audit.Entry{
				Act: string(store.KeyExpiring), ProgramID: key.ProgramID,
				Outcome: issuing.OutcomeElapsed,
				Subject: audit.Subject{Kind: audit.Key, ID: key.Name},
				After:   audit.Members("expires", audit.Moment(ends)),
			},
		})
	}
	return notices
}

// notice is an audit entry that is stored only once.
type notice struct {
	store.Notice
	entry audit.Entry
}

// putNotices stores the entries of notices that were not given before, and returns how many. Entry
// and notice are stored together, or neither is.
func (s *Service) putNotices(
	ctx context.Context, job string, notices []notice,
) (given int, err error) {
	if len(notices) == 0 {
		return 0, nil
	}
	err = s.Store.Update(ctx, func(tx store.Tx) error {
		count := 0
		for _, n := range notices {
			known, err := tx.Due().HasNotice(n.Notice)
			if err != nil {
				return err
			}
			if known {
				continue
			}
			n.entry.At, n.entry.Actor = tx.Now(), issuing.JobActor(job)
			if err := tx.Audit().Put(n.entry); err != nil {
				return err
			}
			if err := tx.Due().PutNotice(n.Notice); err != nil {
				return err
			}
			count++
		}
		given = count
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("store notices: %w", err)
	}
	return given, nil
}
