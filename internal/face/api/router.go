package api

import (
	"net/http"
	"slices"
	"strings"
)

// router finds the route of a path. ServeMux does not meet the interface: it redirects paths with
// repeated slashes, is case-sensitive, and accepts HEAD for GET.
type router struct {
	// byName maps the static segments of a path, in lower case and each followed by a slash, to its
	// routes.
	byName map[string][]*route
	// depths lists the distinct numbers of static segments, in descending order.
	depths []int
}

func newRouter(routes []route) *router {
	r := &router{byName: make(map[string][]*route)}
	for i := range routes {
		name, depth := staticOf(routes[i].Path)
		r.byName[name] = append(r.byName[name], &routes[i])
		if !slices.Contains(r.depths, depth) {
			r.depths = append(r.depths, depth)
		}
	}
	slices.Sort(r.depths)
	slices.Reverse(r.depths)
	return r
}

// staticOf returns the key of a path in byName and its number of static segments.
func staticOf(path string) (name string, depth int) {
	static, _, _ := strings.Cut(strings.Trim(path, "/"), "/{")
	segments := strings.Split(static, "/")
	return string(appendName(nil, segments)), len(segments)
}

// appendName joins static segments. It replaces a slash within a segment, so that it does not split
// the segment.
func appendName(name []byte, segments []string) []byte {
	for _, segment := range segments {
		lower := strings.ToLower(segment)
		if strings.Contains(lower, "/") {
			lower = strings.ReplaceAll(lower, "/", "\x00")
		}
		name = append(append(name, lower...), '/')
	}
	return name
}

// parametersOf returns the names of the parameters in a path.
func parametersOf(path string) []string {
	var names []string
	for segment := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(segment, "{") {
			names = append(names, strings.Trim(segment, "{}"))
		}
	}
	return names
}

// find returns the route for a method and path in an interface version, with the path's parameters.
// If there is none, it returns the methods that the path has.
func (r *router) find(
	method string, segments []string, version int,
) (match *route, parameters []string, allowed string) {
	const ordinary = 64 // bytes; longer names work too
	for _, depth := range r.depths {
		if len(segments) < depth {
			continue
		}
		name := appendName(make([]byte, 0, ordinary), segments[:depth])
		for _, candidate := range r.byName[string(name)] {
			parameters, fits := candidate.fit(segments[depth:])
			if !fits || candidate.LastVersion != 0 && version > candidate.LastVersion {
				continue
			}
			if candidate.Method == method {
				return candidate, parameters, ""
			}
			if allowed != "" {
				allowed += ", "
			}
			allowed += candidate.Method
		}
	}
	return nil, nil, allowed
}

// lookup returns the path of the matching route, for any method and version, and the same path
// without the parameters that the request omits.
func (r *router) lookup(segments []string) (path, sent string) {
	for _, depth := range r.depths {
		if len(segments) < depth {
			continue
		}
		for _, candidate := range r.byName[string(appendName(nil, segments[:depth]))] {
			if _, fits := candidate.fit(segments[depth:]); !fits {
				continue
			}
			whole := strings.Split(candidate.Path, "/")
			return candidate.Path, strings.Join(whole[:len(segments)+1], "/")
		}
	}
	return "", ""
}

// fit assigns the segments after the static ones to the route's parameters.
func (r *route) fit(segments []string) (parameters []string, fits bool) {
	most := len(r.Parameters)
	if len(segments) > most || len(segments) < most-r.Optional {
		return nil, false
	}
	if len(segments) == most {
		return segments, true
	}
	parameters = make([]string, most)
	copy(parameters, segments)
	return parameters, true
}

// methods are the methods that HTTP defines (RFC 9110 and RFC 5789). Any other gets
// fault.NotImplemented.
var methods = map[string]bool{
	http.MethodGet: true, http.MethodHead: true, http.MethodPost: true, http.MethodPut: true,
	http.MethodPatch: true, http.MethodDelete: true, http.MethodConnect: true,
	http.MethodOptions: true, http.MethodTrace: true,
}
