package sqlite

import (
	"context"
	"errors"
)

// openConnections opens so many connections to a database.
func openConnections(name string, count int, settings []string) (chan *connection, error) {
	made := make(chan *connection, count)
	for range count {
		one, err := connect(name, settings...)
		if err != nil {
			close(made)
			errs := []error{err}
			for earlier := range made {
				errs = append(errs, earlier.close())
			}
			return nil, errors.Join(errs...)
		}
		made <- one
	}
	return made, nil
}

// take waits for a free connection. Once the engine is closed or has broken there is none.
func (e *Engine) take(ctx context.Context, free chan *connection) (*connection, error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	// Usually a connection is free, and this select is cheaper than the one below.
	select {
	case one := <-free:
		return e.check(one, free)
	default:
	}
	select {
	case one := <-free:
		return e.check(one, free)
	case <-e.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// check gives a connection back when the engine has broken meanwhile.
func (e *Engine) check(one *connection, free chan *connection) (*connection, error) {
	if e.Failure() == nil {
		return one, nil
	}
	free <- one
	return nil, e.usable()
}

// claimAll takes every connection as it becomes free, and stops when the engine breaks.
func (e *Engine) claimAll(free chan *connection) []*connection {
	var all []*connection
	for range cap(free) {
		select {
		case one := <-free:
			all = append(all, one)
		case <-e.failure.known:
			return all
		}
	}
	return all
}

// drain closes connections that no transaction has used yet.
func drain(free chan *connection) error {
	var errs []error
	for range cap(free) {
		one := <-free
		errs = append(errs, one.close())
	}
	return errors.Join(errs...)
}
