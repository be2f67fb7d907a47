package app

import (
	"context"
	"errors"

	"mintmark/internal/operate/backup"
	"mintmark/internal/operate/doctor"
	"mintmark/internal/operate/installation"
)

// Examine examines an installation and changes nothing. The settings come from a settings file, if
// it could be read; otherwise they hold a directory and a database only.
func Examine(
	ctx context.Context, file string, settings Settings, settingsErr error, deep bool,
	backedUp string,
) doctor.Report {
	place := settings.Location()
	keys, err := place.KeySettings(ctx, 0)
	settingsErr = errors.Join(settingsErr, err)
	belong := func(ctx context.Context) (string, error) { return place.Belong(ctx, keys) }
	if file != "" {
		belong = func(ctx context.Context) (string, error) {
			return place.BelongToProduction(ctx, keys)
		}
	}
	p := doctor.Patient{
		Settings: file, SettingsErr: settingsErr,
		Data: settings.Data, Keys: keys, File: installation.DatabaseFile, URL: settings.Database.URL,
		TLSCert: settings.TLSCert, TLSKey: settings.TLSKey,
		Insecure: settings.Insecure, Warnings: settings.Warnings,
		Belong: belong, Holder: place.Holder, Signed: place.Signed,
		Deep: deep, Now: settings.Clock.Now(),
	}
	if file != "" && settingsErr == nil {
		p.PublicURL, p.Proxies = settings.PublicURL, settings.TrustedProxies
		limits := settings.Limits.filled()
		p.Connections, p.Files = limits.Connections+limits.AdminConnections, limits.files()
		p.ProcessorFolder, p.OpenID = settings.Processor.Folder, settings.OpenID.Issuer != ""
		p.FourEyes = settings.FourEyes
	}
	if backedUp != "" {
		p.Backup = func(ctx context.Context) (string, error) {
			return backup.Describe(ctx, place, backedUp)
		}
	}
	return doctor.Examine(ctx, p)
}
