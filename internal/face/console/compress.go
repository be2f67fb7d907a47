package console

import (
	"bytes"
	"compress/gzip"
	"strings"

	"mintmark/internal/face/web"
)

// minCompressed is the shortest body that is compressed.
const minCompressed = 1400

// compressed compresses a text response with gzip if the browser accepts that.
func compressed(x *web.Exchange, answer web.Response) web.Response {
	if len(answer.Body) < minCompressed || !isText(answer.ContentType) {
		return answer
	}
	x.Header.Add("Vary", "Accept-Encoding")
	if !takesGzip(x.Request.Header.Get("Accept-Encoding")) {
		return answer
	}
	var body bytes.Buffer
	w := gzip.NewWriter(&body)
	if _, err := w.Write(answer.Body); err != nil {
		return answer
	}
	if err := w.Close(); err != nil {
		return answer
	}
	x.Header.Set("Content-Encoding", "gzip")
	answer.Body = body.Bytes()
	return answer
}

func isText(mediaType string) bool {
	return strings.HasPrefix(mediaType, "text/") || strings.HasPrefix(mediaType, "image/svg")
}

// takesGzip reports whether an Accept-Encoding header accepts gzip. Quality 0 rejects it.
func takesGzip(accepted string) bool {
	for part := range strings.SplitSeq(accepted, ",") {
		coding, quality, _ := strings.Cut(strings.TrimSpace(part), ";")
		quality = strings.ReplaceAll(quality, " ", "")
		if coding == "gzip" && strings.Trim(strings.TrimPrefix(quality, "q="), "0.") != "" ||
			coding == "gzip" && quality == "" {
			return true
		}
	}
	return false
}
