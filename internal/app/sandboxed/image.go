package sandboxed

import (
	"sync"
)

// Images are databases in memory as they were when the demo data had been written. A sandbox with
// the seed and the frozen moment of an earlier one of this process would become the same in every
// byte, so it begins with a copy: tests start sandboxes by the hundred.
var images = struct {
	sync.Mutex
	kept map[imageKey]*image
}{kept: make(map[imageKey]*image)}

// maxImages is how many are kept; each takes some megabytes.
const maxImages = 8

// imageKey is all that the beginning of a sandbox in memory depends on.
type imageKey struct {
	seed   uint64
	moment int64 // in nanoseconds
}

// image is how a sandbox in memory begins. The zero value is one that is not known, and is not
// kept.
type image struct {
	mu       sync.Mutex
	keep     bool
	database []byte            // nil until it is known
	streams  map[string][]byte // state of the random bytes
}

// image returns how this sandbox begins. Others that begin the same way wait until it is released.
func (s *Sandbox) image() *image {
	var known *image
	if s.Location.Data == "" && s.Location.Database.URL == "" && s.Repeatable() {
		images.Lock()
		of := imageKey{*s.Seed, s.Clock.Now().UnixNano()}
		known = images.kept[of]
		if known == nil {
			if len(images.kept) == maxImages {
				clear(images.kept)
			}
			known = &image{keep: true}
			images.kept[of] = known
		}
		images.Unlock()
	} else {
		known = &image{}
	}
	known.mu.Lock()
	return known
}

func (i *image) release() { i.mu.Unlock() }

// take keeps how a sandbox is now.
func (i *image) take(s *Sandbox) error {
	if !i.keep {
		return nil
	}
	database, err := s.storage.Disk.Image()
	if err != nil {
		return err
	}
	i.database, i.streams = database, s.Chance.State()
	return nil
}
