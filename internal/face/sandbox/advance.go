package sandbox

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// advance is the distance of a clock move: a calendar period, then a duration.
type advance struct {
	years, months, days int
	exact               time.Duration
	back                bool // the text has a minus sign
}

// LastYear is the last year to which the clock can be moved. A clock offset covers about 292 years.
const LastYear = 2200

const beyond = "must not lead beyond the year 2200"

var errNoDuration = errors.New(`must be a duration such as "P90D", "90d" or "36h"`)

// The two formats of a duration: ISO 8601, and Go's with an additional unit d of 24 hours.
var (
	isoDuration = regexp.MustCompile(`^P(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})W)?` +
		`(?:(\d{1,6})D)?(?:T((?:\d{1,9}H)?(?:\d{1,9}M)?(?:\d{1,9}(?:\.\d{1,9})?S)?))?$`)
	dayDuration = regexp.MustCompile(`^(?:(\d{1,6})d)?([\d.a-zµ]*)$`)
)

// parseAdvance parses a duration. Years, months, weeks and days in ISO 8601 are calendar units; all
// other units are exact.
func parseAdvance(text string) (advance, error) {
	text, back := strings.CutPrefix(text, "-")
	if match := isoDuration.FindStringSubmatch(text); match != nil {
		if last := text[len(text)-1]; last == 'P' || last == 'T' {
			return advance{}, errNoDuration
		}
		exact, err := parseExact(strings.ToLower(match[5]))
		return advance{
			number(match[1]), number(match[2]), 7*number(match[3]) + number(match[4]), exact, back,
		}, err
	}
	match := dayDuration.FindStringSubmatch(text)
	if text == "" || match == nil {
		return advance{}, errNoDuration
	}
	exact, err := parseExact(match[2])
	const day = 24 * time.Hour
	days := number(match[1])
	if limit := time.Duration(1<<63 - 1); time.Duration(days) > (limit-exact)/day {
		err = errors.New(beyond)
	}
	return advance{exact: exact + time.Duration(days)*day, back: back}, err
}

// parseExact parses hours, minutes and seconds; the empty string is zero.
func parseExact(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	exact, err := time.ParseDuration(text)
	if err != nil {
		return 0, errNoDuration
	}
	return exact, nil
}

// number parses at most nine digits; the empty string is zero.
func number(digits string) int {
	value, _ := strconv.Atoi(digits) // the pattern has matched
	return value
}

// from returns now plus the advance, ignoring its sign. A day after the end of the month becomes
// the last day: one month after January 31 is the end of February.
func (a advance) from(now time.Time, zone *time.Location) time.Time {
	if a.years == 0 && a.months == 0 && a.days == 0 {
		return now.Add(a.exact)
	}
	local := now.In(zone)
	first := time.Date(local.Year()+a.years, local.Month()+time.Month(a.months), 1,
		local.Hour(), local.Minute(), local.Second(), local.Nanosecond(), zone)
	last := time.Date(first.Year(), first.Month()+1, 0, 0, 0, 0, 0, zone).Day()
	return first.AddDate(0, 0, min(local.Day(), last)-1+a.days).Add(a.exact)
}
