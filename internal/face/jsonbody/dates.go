package jsonbody

import "time"

// maxOffsetMinutes is the largest offset from UTC that a date-time may have.
const maxOffsetMinutes = 14 * 60

// parseDateTime parses an ISO 8601 date or date-time: a T or a space between date and time, then
// hours and minutes, and optionally seconds, a fraction of up to seven digits and an offset. The
// result keeps the offset, so that its Date is the calendar date as written; without an offset it
// is UTC.
func parseDateTime(text []byte) (t time.Time, ok bool) {
	c := cursor{rest: text, ok: true}
	year := c.number(4)
	c.expect('-')
	month := c.number(2)
	c.expect('-')
	day := c.number(2)
	if !c.done() {
		return c.clock(year, time.Month(month), day)
	}
	return date(year, time.Month(month), day, time.UTC, c.ok)
}

// date returns the start of a day. It returns false if the calendar does not have that day.
func date(year int, month time.Month, day int, zone *time.Location, ok bool) (time.Time, bool) {
	t := time.Date(year, month, day, 0, 0, 0, 0, zone)
	// time.Date normalizes a day after the end of the month into the next month.
	y, m, d := t.Date()
	return t, ok && year > 0 && y == year && m == month && d == day
}

// cursor reads fixed parts from the front of a text. After a failure it stays not ok.
type cursor struct {
	rest []byte
	ok   bool
}

func (c *cursor) done() bool { return len(c.rest) == 0 }

// accept consumes the next byte if it is b.
func (c *cursor) accept(b byte) bool {
	if c.done() || c.rest[0] != b {
		return false
	}
	c.rest = c.rest[1:]
	return true
}

func (c *cursor) expect(b byte) { c.ok = c.accept(b) && c.ok }

// number consumes exactly the given number of digits.
func (c *cursor) number(digits int) int {
	n := 0
	for range digits {
		if c.done() || c.rest[0] < '0' || c.rest[0] > '9' {
			c.ok = false
			return 0
		}
		n = n*10 + int(c.rest[0]-'0')
		c.rest = c.rest[1:]
	}
	return n
}

// clock reads the time of day and the offset.
func (c *cursor) clock(year int, month time.Month, day int) (time.Time, bool) {
	if !c.accept('T') {
		c.expect(' ')
	}
	hour := c.number(2)
	c.expect(':')
	minute := c.number(2)
	second, fraction := 0, time.Duration(0)
	if c.accept(':') {
		second = c.number(2)
		if c.accept('.') {
			fraction = c.fraction()
		}
	}
	zone := c.zone()
	t, ok := date(year, month, day, zone, c.ok && c.done())
	sinceMidnight := time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute +
		time.Duration(second)*time.Second + fraction
	// The end of a day may be written as 24:00, exactly.
	if minute > 59 || second > 59 || sinceMidnight > 24*time.Hour {
		return t, false
	}
	t = t.Add(sinceMidnight)
	return t, ok && t.Year() <= 9999
}

// fraction reads a fraction of a second of one to seven digits.
func (c *cursor) fraction() time.Duration {
	fraction, unit := time.Duration(0), time.Second
	for !c.done() && c.rest[0] >= '0' && c.rest[0] <= '9' {
		unit /= 10
		fraction += time.Duration(c.rest[0]-'0') * unit
		c.rest = c.rest[1:]
	}
	if unit == time.Second || unit < 100*time.Nanosecond {
		c.ok = false
	}
	return fraction
}

// zone reads the offset: Z, +hh, +hhmm or +hh:mm, optionally after a space.
func (c *cursor) zone() *time.Location {
	if c.done() {
		return time.UTC
	}
	c.accept(' ')
	if c.accept('Z') {
		return time.UTC
	}
	sign := 1
	if !c.accept('+') {
		c.expect('-')
		sign = -1
	}
	hours, minutes := c.number(2), 0
	if c.accept(':') || !c.done() {
		minutes = c.number(2)
	}
	offset := hours*60 + minutes
	if minutes > 59 || offset > maxOffsetMinutes {
		c.ok = false
	}
	if offset == 0 {
		return time.UTC
	}
	return time.FixedZone("", sign*offset*60)
}

// printText formats a string for a message about a failed conversion. The reader whose messages
// callers compare has by then converted a string that looks like a date-time.
func printText(text []byte) string {
	const shortest = len("2006-01-02T15:04:05")
	if len(text) >= shortest && text[10] == 'T' {
		if t, ok := parseDateTime(text); ok {
			return t.UTC().Format("01/02/2006 15:04:05")
		}
	}
	return string(text)
}
