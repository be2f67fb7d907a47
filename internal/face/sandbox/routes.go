package sandbox

import (
	"context"
	"net/http"
	"slices"

	"mintmark/internal/face/web"
)

// route is a row of the route table.
type route struct {
	method, path string // path is below Prefix; {name} is a parameter
	answer       handler
}

// handler answers a request.
type handler func(ctx context.Context, c *call) (web.Response, error)

// routes returns the route table. The routes of each kind of control are in the file of its name.
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

// get returns a route that answers with what it reads.
func get[A any](path string, read func(context.Context, *call) (A, error)) route {
	return route{http.MethodGet, path, answers(http.StatusOK, read)}
}

// post returns a route that performs an act and answers with its result.
func post[A any](path string, do func(context.Context, *call) (A, error)) route {
	return route{http.MethodPost, path, answers(http.StatusOK, do)}
}

// put returns a route that changes a resource and answers with its new state.
func put[A any](path string, change func(context.Context, *call) (A, error)) route {
	return route{http.MethodPut, path, answers(http.StatusOK, change)}
}

// create returns a route that creates a resource and answers with it.
func create[A any](path string, do func(context.Context, *call) (A, error)) route {
	return route{http.MethodPost, path, answers(http.StatusCreated, do)}
}

// act returns a route that performs an act and answers without a body.
func act(path string, do func(context.Context, *call) error) route {
	return route{http.MethodPost, path, noContent(do)}
}

// remove returns a route that deletes something and answers without a body.
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
