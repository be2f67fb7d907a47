package sandbox

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// route is a row of the table.
type route struct {
	method, path string // below Prefix; {name} is a parameter
	do           func(ctx context.Context, c *call) (answer, error)
}

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

func get(path string, do func(context.Context, *call) (answer, error)) route {
	return route{http.MethodGet, path, do}
}

func post(path string, do func(context.Context, *call) (answer, error)) route {
	return route{http.MethodPost, path, do}
}

func remove(path string, do func(context.Context, *call) (answer, error)) route {
	return route{http.MethodDelete, path, do}
}

func put(path string, do func(context.Context, *call) (answer, error)) route {
	return route{http.MethodPut, path, do}
}

// match reports whether a path is that of the row, and returns its parameters.
func (r route) match(path string) (parameters []string, same bool) {
	of, given := strings.Split(r.path, "/"), strings.Split(path, "/")
	if len(of) != len(given) {
		return nil, false
	}
	for i, segment := range of {
		if strings.HasPrefix(segment, "{") {
			if given[i] == "" {
				return nil, false
			}
			parameters = append(parameters, given[i])
			continue
		}
		if segment != given[i] {
			return nil, false
		}
	}
	return parameters, true
}
