package vault

import (
	"context"
	"errors"
)

// ErrBusy is what OpenPin answers when so many PINs wait that another would wait too long.
var ErrBusy = errors.New("too many PINs wait to be decrypted")

// waitingEach is how many PINs may wait for each that is at work. With a key of 3072 bits that is a
// quarter of a second, or five quarters when each is tried by five algorithms: long enough for a
// burst, and far below the time limit of an answer.
const waitingEach = 64

// queue keeps PINs from taking the machine. A decryption costs a hundred times what a read costs:
// without a bound a few hundred in a second would hold up everything else.
type queue struct {
	places chan struct{} // one is held by each PIN that waits or is at work
	slots  chan struct{} // one is held by each PIN at work
}

// newQueue returns a queue in which so many PINs are decrypted at the same time.
func newQueue(atWork int) queue {
	return queue{
		places: make(chan struct{}, atWork*(1+waitingEach)), slots: make(chan struct{}, atWork),
	}
}

// enter waits until it is a PIN's turn, first come, first served: that is the order in which a
// channel lets in those who wait for it. It returns ErrBusy at once when no place is free, and the
// context's error when that ends first. Without an error, leave has to follow.
func (q queue) enter(ctx context.Context) error {
	select {
	case q.places <- struct{}{}:
	default:
		return ErrBusy
	}
	select {
	case q.slots <- struct{}{}:
		if ctx.Err() == nil {
			return nil
		}
		<-q.slots
	case <-ctx.Done():
	}
	<-q.places
	return ctx.Err()
}

func (q queue) leave() {
	<-q.slots
	<-q.places
}
