package api

import (
	"sync"

	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// settingsCache keeps the settings of each program as they were rendered last. They are long and
// stay the same for minutes, while every caller may ask for them at any time. The zero value is
// ready.
type settingsCache struct {
	mu   sync.Mutex
	last map[settingsKey]renderedSettings
}

type settingsKey struct{ programID, version int }

type renderedSettings struct {
	snapshot uint64 // the version of the snapshot that is rendered
	text     rendered
}

// respond responds the settings of a program for the interface's version of a call.
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
