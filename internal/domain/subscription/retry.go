package subscription

import "time"

// RetryWaits lists the waits after failed attempts. After the last attempt a delivery is dead.
var RetryWaits = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// jitterShare is the maximum share by which a wait is extended, so that deliveries that failed
// together are not all retried together.
const jitterShare = 0.1

// Delay returns how long to wait after a number of attempts, and whether there is another attempt.
// With Retry-After the receiver may extend the wait, up to twice the plan. random, from 0 to 1,
// spreads the attempts.
func Delay(tries int, retryAfter time.Duration, random float64) (time.Duration, bool) {
	if tries > len(RetryWaits) {
		return 0, false
	}
	planned := RetryWaits[max(tries, 1)-1]
	delay := planned + time.Duration(random*jitterShare*float64(planned))
	return max(delay, min(retryAfter, 2*planned)), true
}

// Fail returns the delivery after a failed attempt.
func (d Delivery) Fail(
	now time.Time, reason string, retryAfter time.Duration, random float64,
) Delivery {
	d.Tries++
	d.LastError = reason
	delay, again := Delay(d.Tries, retryAfter, random)
	if !again {
		d.State, d.Next = Dead, time.Time{}
		return d
	}
	d.State, d.Next = Waiting, now.Add(delay)
	return d
}

// Resend returns the delivery due now, with all of its attempts available again.
func (d Delivery) Resend(now time.Time) Delivery {
	d.State, d.Tries, d.Next = Waiting, 0, now
	return d
}
