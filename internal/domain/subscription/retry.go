package subscription

import "time"

// RetryWaits lists the waits after failed attempts. After the last attempt a delivery is dead.
var RetryWaits = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// jitterShare is how much longer than planned a wait may be, so that the deliveries that have
// failed together do not all come back together.
const jitterShare = 0.1

// Delay returns how long to wait after so many tries, and whether there is another one. The
// receiver may ask for a later try with Retry-After, up to twice the plan. The random number, from
// 0 to 1, spreads the tries.
func Delay(tries int, retryAfter time.Duration, random float64) (time.Duration, bool) {
	if tries > len(RetryWaits) {
		return 0, false
	}
	planned := RetryWaits[max(tries, 1)-1]
	delay := planned + time.Duration(random*jitterShare*float64(planned))
	return max(delay, min(retryAfter, 2*planned)), true
}

// Fail returns a delivery after a try that failed.
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

// Resend returns a delivery that is due now, with all tries before it.
func (d Delivery) Resend(now time.Time) Delivery {
	d.State, d.Tries, d.Next = Waiting, 0, now
	return d
}
