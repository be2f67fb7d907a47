package sqlite

import (
	"context"
	"errors"
)

// openConnections opens count connections to a database.
func openConnections(name string, count int, settings []string) (chan *connection, error) {
	c := make(chan *connection, count)
	for range count {
		conn, err := connect(name, settings...)
		if err != nil {
			close(c)
			errs := []error{err}
			for earlier := range c {
				errs = append(errs, earlier.close())
			}
			return nil, errors.Join(errs...)
		}
		c <- conn
	}
	return c, nil
}

// take waits for a free connection. Once the engine is closed or has failed, there is none.
func (e *Engine) take(ctx context.Context, free chan *connection) (*connection, error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	// Usually a connection is free, and this select is cheaper than the one below.
	select {
	case conn := <-free:
		return e.check(conn, free)
	default:
	}
	select {
	case conn := <-free:
		return e.check(conn, free)
	case <-e.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// check gives a connection back if the engine has failed meanwhile.
func (e *Engine) check(conn *connection, free chan *connection) (*connection, error) {
	if e.Failure() == nil {
		return conn, nil
	}
	free <- conn
	return nil, e.usable()
}

// claimAll takes every connection as it becomes free, and stops if the engine fails.
func (e *Engine) claimAll(free chan *connection) []*connection {
	var all []*connection
	for range cap(free) {
		select {
		case conn := <-free:
			all = append(all, conn)
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
		conn := <-free
		errs = append(errs, conn.close())
	}
	return errors.Join(errs...)
}
