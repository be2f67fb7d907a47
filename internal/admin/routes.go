package admin

import "slices"

// table returns the routes. Each resource has a file of its own.
func (f *Face) table() []route {
	return slices.Concat(f.meRoutes())
}
