package card

import (
	"slices"
	"testing"
	"time"
)

// TestRenewalDue checks the first and the last time at which a card is renewed, in the program's
// time zone.
func TestRenewalDue(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	at := func(year int, month time.Month, day, hour, minute int) time.Time {
		return time.Date(year, month, day, hour, minute, 0, 0, zone)
	}
	for name, test := range map[string]struct {
		last       Month
		first, end time.Time // when renewal starts and ends
	}{
		"a month of 30 days": {Month{2026, 6}, at(2026, 5, 17, 0, 0), at(2026, 7, 1, 0, 0)},
		"a month of 31 days": {Month{2026, 12}, at(2026, 11, 17, 0, 0), at(2027, 1, 1, 0, 0)},
		"February":           {Month{2027, 2}, at(2027, 1, 15, 0, 0), at(2027, 3, 1, 0, 0)},
		"a leap year":        {Month{2028, 2}, at(2028, 1, 16, 0, 0), at(2028, 3, 1, 0, 0)},
		"January":            {Month{2027, 1}, at(2026, 12, 18, 0, 0), at(2027, 2, 1, 0, 0)},
		"clocks go forward":  {Month{2026, 3}, at(2026, 2, 15, 0, 0), at(2026, 4, 1, 0, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			for moment, want := range map[time.Time]bool{
				test.first.Add(-time.Millisecond): false,
				test.first:                        true,
				test.end.Add(-time.Millisecond):   true,
				test.end:                          false,
			} {
				c := standing(Verified, unlocked)
				c.ExpireYear, c.ExpireMonth = test.last.Year, test.last.Month
				after, done := c.Renew(48, moment)
				if done != want {
					t.Errorf("renewed at %s: %t", moment, done)
				}
				if listed := slices.Contains(RenewalMonths(moment), test.last); listed != want {
					t.Errorf("listed at %s: %t", moment, listed)
				}
				if done && (after.LastMonth() != Month{test.last.Year + 4, test.last.Month} ||
					!after.Modified.Equal(moment)) {
					t.Errorf("the renewed card expires at the end of %v", after.LastMonth())
				}
			}
		})
	}
}

// TestRenewOnce checks that a card is renewed once for each expiry, whatever the settings of its
// BIN.
func TestRenewOnce(t *testing.T) {
	for _, months := range []int{1, 2, 13, 48, 240} {
		c, now := standing(Verified, unlocked), noon
		c.ExpireYear, c.ExpireMonth = now.Year(), int(now.Month())
		c, done := c.Renew(months, now)
		if !done {
			t.Fatalf("%d months: the card is not renewed", months)
		}
		_, again := c.Renew(months, now)
		if want := c.LastMonth().renewalDue(now); again != want || again && months > 1 {
			t.Errorf("%d months: renewed a second time: %t", months, again)
		}
	}
}

// TestRenewKeeps checks which properties a renewal leaves unchanged.
func TestRenewKeeps(t *testing.T) {
	for _, lock := range locks() {
		c := standing(Verified, lock)
		c.ExpireYear, c.ExpireMonth = noon.Year(), int(noon.Month())
		after, done := c.Renew(48, noon)
		if want := lock.Type != System && !lock.Permanent(); done != want {
			t.Errorf("%v: renewed is %t", lock, done)
		}
		after.ExpireYear, after.ExpireMonth, after.Modified = c.ExpireYear, c.ExpireMonth,
			c.Modified
		if !after.Equal(&c) {
			t.Errorf("%v: a renewal changes more than the expiry: %+v", lock, after)
		}
	}
	c := standing(Verified, unlocked)
	c.ExpireYear, c.ExpireMonth = noon.Year(), int(noon.Month())
	if _, done := c.Renew(0, noon); done {
		t.Error("a card is renewed for no time at all")
	}
}
