package app

import (
	"context"
	"os"
	"path/filepath"

	"mintmark/internal/base/platform"
	"mintmark/internal/operate/installation"
)

var (
	diskFree = describe("disk_free_bytes",
		"Bytes that may still be written to the disk of the data directory.")
	databaseBytes  = describe("database_bytes", "Length of the embedded database.", "part")
	certificateEnd = describe("certificate_expires_timestamp_seconds",
		"When the certificate in use expires.")
	clockOffset = describe("clock_offset_seconds",
		"How far the clock of the database server is ahead of this machine's.")
)

// machine puts the metrics of a node's machine. It omits those that cannot be determined.
func (s state) machine(put put) {
	a := s.app
	if a.certificate != nil {
		if used, err := a.certificate.current(nil); err == nil {
			put(certificateEnd, float64(used.Leaf.NotAfter.Unix()))
		}
	}
	if a.Data == "" {
		return
	}
	if free, err := platform.FreeBytes(a.Data); err == nil {
		put(diskFree, float64(free))
	}
	if a.store.Server != nil {
		return
	}
	for part, suffix := range map[string]string{"file": "", "log": "-wal"} {
		about, err := os.Stat(filepath.Join(a.Data, installation.DatabaseFile+suffix))
		if err == nil {
			put(databaseBytes, float64(about.Size()), part)
		}
	}
}

// clock puts the offset of the database server's clock, except in a sandbox, whose time can be
// moved.
func (s state) clock(ctx context.Context, put put) {
	server := s.app.store.Server
	if server == nil || s.app.Sandbox {
		return
	}
	if _, err := server.ServerTime(ctx); err == nil {
		put(clockOffset, server.Ahead().Seconds())
	}
}
