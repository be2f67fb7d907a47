package issuing

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// RefusalsEvery is the interval at which refusals of callers are written to the audit: one entry
// for each key and code, however many there were.
const RefusalsEvery = time.Minute

// refusedRequests is the act in audit entries about refused requests of callers.
const refusedRequests = "refused requests"

// maxNamed limits the routes and the addresses that an entry names. The others are counted
// together.
const maxNamed = 10

// Refusal is a caller's request whose response was a fault.
type Refusal struct {
	Key     string // name of the API key; empty if the caller was not authenticated
	Code    int    // of the catalogue
	Route   string // empty if the request was refused before routing
	Address string
}

// refusals counts refused requests that are not in the audit yet. The zero value is ready to use.
type refusals struct {
	mu      sync.Mutex
	counted map[refusalKind]*refusalCount
}

type refusalKind struct {
	key  string
	code int
}

// refusalCount is a count as the audit shows it.
type refusalCount struct {
	Code      int            `json:"code"`
	Count     int            `json:"count"`
	Routes    map[string]int `json:"routes"`
	Addresses map[string]int `json:"addresses"`
}

// CountRefusal counts a refusal. It writes nothing: a caller that is refused a thousand times a
// second must not fill the audit.
func (s *Service) CountRefusal(r Refusal) {
	s.refused.add(refusalKind{r.Key, r.Code}, refusalCount{
		r.Code, 1, map[string]int{r.Route: 1}, map[string]int{r.Address: 1},
	})
}

func (f *refusals) add(kind refusalKind, more refusalCount) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counted == nil {
		f.counted = make(map[refusalKind]*refusalCount)
	}
	count := f.counted[kind]
	if count == nil {
		count = &refusalCount{kind.code, 0, map[string]int{}, map[string]int{}}
		f.counted[kind] = count
	}
	count.Count += more.Count
	addNamed(count.Routes, more.Routes)
	addNamed(count.Addresses, more.Addresses)
}

// addNamed adds counts by name. Names beyond maxNamed are counted as "others".
func addNamed(to, more map[string]int) {
	for name, count := range more {
		if name == "" {
			name = "none"
		}
		if _, known := to[name]; !known && len(to) >= maxNamed {
			name = "others"
		}
		to[name] += count
	}
}

// take returns the counts and resets them.
func (f *refusals) take() map[refusalKind]*refusalCount {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := f.counted
	f.counted = nil
	return taken
}

// FlushRefusals writes the refusals that this node has counted since the last call to the audit. If
// that fails, they remain for the next call.
func (s *Service) FlushRefusals(ctx context.Context) error {
	taken := s.refused.take()
	if len(taken) == 0 {
		return nil
	}
	err := s.writeRefusals(ctx, taken)
	if err != nil {
		for kind, count := range taken {
			s.refused.add(kind, *count)
		}
		return fmt.Errorf("record refusals in the audit: %w", err)
	}
	return nil
}

func (s *Service) writeRefusals(ctx context.Context, taken map[refusalKind]*refusalCount) error {
	keys, err := store.ViewOf(ctx, s.Store, func(r store.Tx) ([]apikey.Key, error) {
		return r.Keys().List()
	})
	if err != nil {
		return err
	}
	programs := make(map[string]int)
	for _, key := range keys {
		programs[key.Name] = key.ProgramID
	}
	var entries []audit.Entry
	for kind, count := range taken {
		after, err := json.Marshal(count)
		if err != nil {
			return err
		}
		e := audit.Entry{
			Actor: audit.Actor{Kind: audit.APIKey, Name: kind.key}, Act: refusedRequests,
			ProgramID: programs[kind.key], Outcome: refusedOutcome(count), After: string(after),
		}
		if kind.key != "" {
			e.Subject = audit.Subject{Kind: audit.Key, ID: kind.key}
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b audit.Entry) int {
		return strings.Compare(a.Name+a.After, b.Name+b.After)
	})
	return s.Store.Update(ctx, func(tx store.Tx) error {
		for _, e := range entries {
			e.At = tx.Now()
			if err := tx.Audit().Put(e); err != nil {
				return err
			}
		}
		return nil
	})
}

func refusedOutcome(c *refusalCount) string {
	return fmt.Sprintf("%s: %d with code %d", OutcomeRefused, c.Count, c.Code)
}
