package sandbox

import (
	"context"
	"net/http"
	"slices"

	"mintmark/internal/face/web"
)

// route is a row of the table.
type route struct {
	method, path string // below Prefix; {name} is a parameter
	answer       handler
}

// handler makes the answer to a request.
type handler func(ctx context.Context, c *call) (web.Response, error)

// routes is the table. The rows of each kind of control stand in the file of its name.
func (s *Controls) routes() []route {
	return slices.Concat(
		s.worldRoutes(),
		s.clockRoutes(),
		s.snapshotRoutes(),
		s.processorRoutes(),
		s.cardRoutes(),
		s.transferRoutes(),
		s.customerRoutes(),
		s.faultRoutes(),
		s.requestRoutes(),
	)
}

// get is a row that answers with what it reads.
func get[A any](path string, read func(context.Context, *call) (A, error)) route {
	return route{http.MethodGet, path, answers(http.StatusOK, read)}
}

// post is a row that does something and answers with what came of it.
func post[A any](path string, do func(context.Context, *call) (A, error)) route {
	return route{http.MethodPost, path, answers(http.StatusOK, do)}
}

// put is a row that changes something and answers with what it is then.
func put[A any](path string, change func(context.Context, *call) (A, error)) route {
	return route{http.MethodPut, path, answers(http.StatusOK, change)}
}

// create is a row that makes something and answers with it.
func create[A any](path string, do func(context.Context, *call) (A, error)) route {
	return route{http.MethodPost, path, answers(http.StatusCreated, do)}
}

// act is a row that does something and answers without a body.
func act(path string, do func(context.Context, *call) error) route {
	return route{http.MethodPost, path, noContent(do)}
}

// remove is a row that takes something away and answers without a body.
func remove(path string, do func(context.Context, *call) error) route {
	return route{http.MethodDelete, path, noContent(do)}
}

func answers[A any](status int, do func(context.Context, *call) (A, error)) handler {
	return func(ctx context.Context, c *call) (web.Response, error) {
		shown, err := do(ctx, c)
		if err != nil {
			return web.Response{}, err
		}
		return web.JSON(status, shown)
	}
}

func noContent(do func(context.Context, *call) error) handler {
	return func(ctx context.Context, c *call) (web.Response, error) {
		return web.Response{Status: http.StatusNoContent}, do(ctx, c)
	}
}
