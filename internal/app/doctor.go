package app

import (
	"context"
	"time"

	"mintmark/internal/doctor"
)

// Examine looks at an installation and changes nothing. The settings are those of a file, which
// either is understood or is not; without a file they hold a directory and a database only.
func Examine(
	ctx context.Context, file string, settings Settings, settingsErr error, deep bool,
) doctor.Report {
	return doctor.Examine(ctx, doctor.Patient{
		Settings: file, SettingsErr: settingsErr,
		Data: settings.Data, File: databaseFile, URL: settings.Database.URL,
		TLSCert: settings.TLSCert, TLSKey: settings.TLSKey,
		Deep: deep, Now: time.Now(),
	})
}
