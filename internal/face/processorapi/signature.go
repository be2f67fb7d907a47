package processorapi

import (
	"net/http"
	"time"

	"mintmark/internal/face/web"
	"mintmark/internal/vault/signature"
)

// checkSignature returns a problem unless the message is signed with one of the secrets and its
// timestamp is current, by the wall clock even if business time differs: the processor signs by its
// own clock. It does not look for repeated messages, so a resent message passes; each act is
// idempotent by the id in the body.
func (f *Face) checkSignature(header http.Header, body []byte) error {
	if signature.Verify(f.secrets(), header, body, time.Now()) == nil {
		return nil
	}
	return web.NotSignedIn("The message must be signed with a known secret, as Standard Webhooks " +
		"do, and its timestamp must be within five minutes of now.")
}
