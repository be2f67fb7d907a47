package openapi

import (
	"go.yaml.in/yaml/v3"
)

// headers returns the header components of responses. A required header is in every response that
// refers to it; the tests check that.
func headers() *yaml.Node {
	header := func(says, example string, required bool) *yaml.Node {
		node := object("description", says)
		if required {
			add(node, "required", true)
		}
		return add(node, "schema", object("type", "string"), "example", example)
	}
	return object(
		"RateLimit", header("Requests left of the key's rate, if it has one.",
			`"default";r=1;t=1`, false),
		"RateLimitPolicy", header("The key's rate, if it has one.",
			`"default";q=2;w=1`, false),
		"RetryAfter", header("Seconds to wait.", "1", true),
		"WWWAuthenticate", header("The required authentication scheme.", "Basic", true),
		"IdempotencyReplayed", header("Present when the answer repeats an earlier one.",
			"true", false),
		"Deprecation", header("Since when the operation is deprecated (RFC 9745).",
			"@1767225600", true),
		"Link", header("The operation to use instead.",
			`</card/hotlist>; rel="successor-version"`, true),
	)
}

// successHeaders returns the headers of a success.
func (f form) successHeaders() *yaml.Node {
	all := rateHeaders()
	if f.Method == "POST" {
		add(all, "Idempotency-Replayed", ref("headers", "IdempotencyReplayed"))
	}
	if f.ReplacedBy != "" {
		add(all, "Deprecation", ref("headers", "Deprecation"), "Link", ref("headers", "Link"))
	}
	return all
}

// failureHeaders returns the headers of a failure with an HTTP status.
func failureHeaders(status int) *yaml.Node {
	switch status {
	case 401:
		return object("WWW-Authenticate", ref("headers", "WWWAuthenticate"))
	case 429:
		return add(rateHeaders(), "Retry-After", ref("headers", "RetryAfter"))
	case 503:
		return object("Retry-After", ref("headers", "RetryAfter"))
	}
	return nil
}

func rateHeaders() *yaml.Node {
	return object("RateLimit", ref("headers", "RateLimit"),
		"RateLimit-Policy", ref("headers", "RateLimitPolicy"))
}
