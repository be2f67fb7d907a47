package console

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"github.com/andybalholm/brotli"

	"mintmark/internal/face/web"
)

// minCompressed is the shortest body that is compressed.
const minCompressed = 1400

// encoders are the compressions of responses, the preferred one first.
var encoders = []struct {
	coding string
	new    func(io.Writer) io.WriteCloser
}{
	// At this level a page is as short as with gzip, and takes half the time.
	{"br", func(to io.Writer) io.WriteCloser { return brotli.NewWriterLevel(to, 4) }},
	{"gzip", func(to io.Writer) io.WriteCloser { return gzip.NewWriter(to) }},
}

// compressed compresses a text response if the browser accepts it.
func compressed(x *web.Exchange, answer web.Response) web.Response {
	if len(answer.Body) < minCompressed || !isText(answer.ContentType) {
		return answer
	}
	x.Header.Add("Vary", "Accept-Encoding")
	for _, encoder := range encoders {
		if !accepts(x.Request.Header.Get("Accept-Encoding"), encoder.coding) {
			continue
		}
		var body bytes.Buffer
		w := encoder.new(&body)
		_, err := w.Write(answer.Body)
		if err = errors.Join(err, w.Close()); err == nil {
			x.Header.Set("Content-Encoding", encoder.coding)
			answer.Body = body.Bytes()
		}
		return answer
	}
	return answer
}

func isText(mediaType string) bool {
	return strings.HasPrefix(mediaType, "text/") || strings.HasPrefix(mediaType, "image/svg")
}

// accepts reports whether an Accept-Encoding header accepts a coding. Quality 0 rejects it.
func accepts(header, coding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.TrimSpace(name) != coding {
			continue
		}
		weight, ok := strings.CutPrefix(strings.ReplaceAll(quality, " ", ""), "q=")
		return !ok || strings.Trim(weight, "0.") != ""
	}
	return false
}
