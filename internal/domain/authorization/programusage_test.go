package authorization

import (
	"testing"

	"pgregory.net/rapid"

	"mintmark/internal/domain/program"
)

// shared is a program's daily sum in shares as a store has it, beside the plain sum that they
// represent.
type shared struct {
	total  Usage
	shares map[int]Share
	used   int64
}

// read returns the usage that a transfer in a lane reads.
func (s *shared) read(lane int) ProgramUsage {
	share := s.shares[lane]
	share.Lane = lane
	return ProgramUsage{Total: s.total, Share: share}
}

func (s *shared) put(p ProgramUsage) {
	s.total = p.Total
	for _, share := range append(p.Emptied, p.Share) {
		s.shares[share.Lane] = share
	}
}

// withRest returns the shares of the day with a remainder.
func (s *shared) withRest() (list []Share) {
	for _, share := range s.shares {
		if share.Day == s.total.Day && share.Rest.TenThousandths > 0 {
			list = append(list, share)
		}
	}
	return list
}

// TestProgramUsage approves, books, refunds and starts days in any order and on any share. The
// approved amount is what the plain sum allows, under limits that change.
func TestProgramUsage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &shared{shares: map[int]Share{}, total: Usage{Day: 20260603}}
		bounds := limit(0, 10_000)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			p := s.read(rapid.IntRange(0, 3).Draw(t, "lane"))
			amount := rapid.Int64Range(1, 4000).Draw(t, "amount")
			switch rapid.SampledFrom([]string{
				"ask", "ask", "ask", "ask", "book", "take back", "limit", "day",
			}).Draw(t, "step") {
			case "ask":
				if !p.AllowsWorstCase(bounds, Question{Transfer: purchase(amount)}) {
					p = p.ReclaimShares(s.withRest())
				}
				got := within(bounds, addCapped(p.UpperBound().OfDay, cents(amount)))
				if want := within(bounds, cents(s.used+amount)); got != want {
					t.Fatalf("%d more than %d is allowed: %t, want %t", amount, s.used, got, want)
				}
				if got {
					s.put(p.Add(cents(amount), bounds))
					s.used += amount
				}
			case "book": // regardless of the limit
				s.put(p.Add(cents(amount), bounds))
				s.used += amount
			case "take back":
				amount = min(amount, s.used)
				s.put(p.TakeParts([]Part{{s.total.Day, amount * 100}, {s.total.Day - 1, 500}}))
				s.used -= amount
			case "limit":
				bounds = rapid.SampledFrom([]*program.Limit{
					limit(0, 5000), limit(0, 20_000), limit(3000, 10_000), limit(1, 10_000),
					limit(2000, 0), nil,
				}).Draw(t, "limit")
			case "day": // a day that has started is started again
				s.total.Day = rapid.SampledFrom([]Day{20260603, 20260604}).Draw(t, "day")
				s.used = amount
				s.total = p.Begin(Usage{Day: s.total.Day, OfDay: cents(amount)}, s.withRest()).Total
			}
			if left := s.read(0).ReclaimShares(s.withRest()); left.Total.OfDay != cents(s.used) {
				t.Fatalf("the sum is %s, want %s", left.Total.OfDay.Fixed(2), cents(s.used).Fixed(2))
			}
		}
	})
}

// TestPartialAndShares approves parts of amounts, as the plain sum of the day allows, under a
// minimum that the remainder in other shares must not satisfy.
func TestPartialAndShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bounds := limit(rapid.Int64Range(0, 4000).Draw(t, "least"), 10_000)
		used := rapid.Int64Range(0, 4000).Draw(t, "used")
		others := Share{Lane: 1, Day: 20260603, Rest: cents(rapid.Int64Range(1, 6000).Draw(t, "lent"))}
		available := cents(rapid.Int64Range(0, 5000).Draw(t, "available"))
		q := Question{Transfer: purchase(rapid.Int64Range(1, 5000).Draw(t, "amount")), Partial: true}
		decide := func(p ProgramUsage) Decision {
			v := usable()
			for id, account := range v.Accounts {
				account.Available = available
				v.Accounts[id] = account
			}
			v.Program = p
			d, _ := Decide(q, v, Rules{Limits: Limits{ProgramDaily: bounds}, Decimals: 2}, now)
			return d
		}
		p := ProgramUsage{
			Total: Usage{Day: 20260603, OfDay: addCapped(cents(used), others.Rest)}, Share: Share{Lane: 2},
		}
		if !p.AllowsWorstCase(bounds, q) {
			p = p.ReclaimShares([]Share{others})
		}
		plain := ProgramUsage{Total: Usage{Day: 20260603, OfDay: cents(used)}}
		if got, want := decide(p), decide(plain); got != want {
			t.Fatalf("the answer is %+v, by the plain sum %+v", got, want)
		}
	})
}
