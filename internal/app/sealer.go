package app

import (
	"mintmark/internal/auditlog"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/event"
)

// newSealer returns the job that seals the audit.
func (a *App) newSealer() *auditlog.Sealer {
	settings := auditlog.Settings{
		Node: a.node, Keys: a.vault, Clock: a.Clock, Log: a.Log, IsEvent: isEvent,
		OnSealed: a.service.Events.NoteSealed,
	}
	if a.sandbox != nil {
		settings.Rests = a.sandbox.Repeatable
	}
	return auditlog.New(a.store, settings)
}

// isEvent says which audit entries get an event sequence.
func isEvent(e audit.Entry) bool {
	_, is := event.TypeOf(e)
	return is
}
