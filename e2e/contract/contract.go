// Package contract checks answers of the service against the description of the interface, the
// OpenAPI document. The end-to-end tests pass every answer through it, so that neither the document
// nor the service can change alone. Package openapi owns the content of the document.
package contract

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Answer is an answer of the service with the request that it belongs to.
type Answer struct {
	Method string
	Target *url.URL
	Status int
	Header http.Header
	Body   []byte
}

// Check returns what is wrong with an answer, or nil. An answer to an operation must be one that
// the document describes for the operation; any other must be the envelope of a failure.
func (a Answer) Check() error {
	d := loaded()
	expected, err := d.find(a)
	if err != nil {
		return err
	}
	for _, name := range expected.headers {
		if a.Header.Get(name) == "" {
			err = errors.Join(err, fmt.Errorf("the header %s is missing", name))
		}
	}
	// The answer to HEAD is the one to GET without its body.
	if a.Method == http.MethodHead {
		return err
	}
	return errors.Join(err, a.checkType(), a.checkBody(expected.schema))
}

func (a Answer) checkType() error {
	media, parameters, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if err != nil || media != "application/json" || parameters["charset"] != "utf-8" {
		return fmt.Errorf("the content type is %q", a.Header.Get("Content-Type"))
	}
	return nil
}

func (a Answer) checkBody(schema *jsonschema.Schema) error {
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.Body))
	if err != nil {
		return fmt.Errorf("the answer is not valid JSON: %w", err)
	}
	if err := schema.Validate(body); err != nil {
		return err
	}
	envelope, _ := body.(map[string]any)
	if status := fmt.Sprint(envelope["status"]); status != strconv.Itoa(a.Status) {
		return fmt.Errorf("the HTTP status is %d, the one in the envelope %s", a.Status, status)
	}
	return checkMessages(envelope)
}

// loaded returns the document, read and compiled once.
var loaded = sync.OnceValue(newDocument)
