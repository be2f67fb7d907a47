package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// serveBare sends recorded responses from memory: the minimum work of a server in Go. The files of
// a directory are the bodies; the first two segments of a path, joined by a dash, are the file
// name. With the connection string of a PostgreSQL database it reads the row of a card for each
// response.
func serveBare(directory, database string) error {
	files, err := os.ReadDir(directory)
	if err != nil {
		return err
	}
	bodies := make(map[string][]byte)
	for _, file := range files {
		bodies[file.Name()], err = os.ReadFile(filepath.Join(directory, file.Name()))
		if err != nil {
			return err
		}
	}
	find := func(*http.Request) error { return nil }
	if database != "" {
		find, err = rowFinder(database)
		if err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("bare serves on http://%s\n", listener.Addr())
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			_, _ = io.Copy(io.Discard, r.Body)
		}
		if err := find(r); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		body := bodies[bareName(r.URL.Path)]
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	}))
}

// bareName returns the name of the file for a path.
func bareName(path string) string {
	segments := strings.SplitN(strings.TrimPrefix(path, "/"), "/", 3)
	return strings.ToLower(strings.Join(segments[:min(2, len(segments))], "-"))
}
