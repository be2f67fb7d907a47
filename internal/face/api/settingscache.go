package api

import (
	"sync"

	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// settingsCache caches the rendered settings of each program. Settings are large and rarely change,
// and callers may read them often. The zero value is ready to use.
type settingsCache struct {
	mu   sync.Mutex
	last map[settingsKey]renderedSettings
}

type settingsKey struct{ programID, version int }

type renderedSettings struct {
	snapshot uint64 // version of the rendered program snapshot
	text     rendered
}

// respond answers with the program's settings in the interface version of the call.
func (k *settingsCache) respond(c *call, of *issuing.Program) (web.Response, error) {
	key := settingsKey{c.who.ProgramID, c.version}
	k.mu.Lock()
	last := k.last[key]
	k.mu.Unlock()
	if last.snapshot == of.Version {
		return c.respond(last.text), nil
	}
	settings := of.Settings
	if c.version > 1 {
		settings = settings.WithoutDeprecated()
	}
	text, err := marshal(settings)
	if err != nil {
		return web.Response{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.last == nil {
		k.last = make(map[settingsKey]renderedSettings)
	}
	k.last[key] = renderedSettings{of.Version, text}
	return c.respond(rendered(text)), nil
}
