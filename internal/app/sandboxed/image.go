package sandboxed

import (
	"sync"
)

// images caches in-memory databases in their state after the demo data was written. A sandbox with
// the seed and the frozen time of an earlier one in this process would become identical to it in
// every byte, so it starts with a copy: tests start hundreds of sandboxes.
var images = struct {
	sync.Mutex
	kept map[imageKey]*image
}{kept: make(map[imageKey]*image)}

// maxImages is the number of cached images; each takes some megabytes.
const maxImages = 8

// imageKey is everything that the initial state of an in-memory sandbox depends on.
type imageKey struct {
	seed   uint64
	moment int64 // in nanoseconds
}

// image is the initial state of an in-memory sandbox. The zero value is unknown and not cached.
type image struct {
	mu       sync.Mutex
	keep     bool
	database []byte            // nil until it is known
	streams  map[string][]byte // state of the random bytes
}

// image returns the initial state of this sandbox. Other sandboxes with the same initial state wait
// until it is released.
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

// take stores the current state of a sandbox in the image.
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
