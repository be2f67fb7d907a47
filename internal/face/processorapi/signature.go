package processorapi

import (
	"net/http"
	"time"

	"mintmark/internal/face/web"
	"mintmark/internal/vault/signature"
)

// checkSignature returns the problem of a message that was not signed with one of the secrets at
// this time, or nil. The time is that of the wall, whatever business time is: the processor signs
// by its own clock. Nothing is looked up, so a message that is sent again gets this far; each act
// is done once by the identifier in its body.
func (f *Face) checkSignature(header http.Header, body []byte) error {
	if signature.Verify(f.secrets(), header, body, time.Now()) == nil {
		return nil
	}
	return web.NotSignedIn("The message must be signed with a known secret, as Standard Webhooks " +
		"do, and its timestamp must be within five minutes of now.")
}
