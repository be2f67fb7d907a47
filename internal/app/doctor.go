package app

import (
	"context"
	"errors"

	"mintmark/internal/operate/doctor"
)

// Examine examines an installation and changes nothing. The settings come from a settings file, if
// it could be read; otherwise they have only a directory and a database.
func Examine(
	ctx context.Context, file string, settings Settings, settingsErr error, deep bool,
	backupFile string,
) doctor.Report {
	p, err := doctor.At(ctx, settings.Location(), file, backupFile)
	p.SettingsErr, p.Deep, p.Now = errors.Join(settingsErr, err), deep, settings.Clock.Now()
	p.TLSCert, p.TLSKey, p.Warnings = settings.TLSCert, settings.TLSKey, settings.Warnings
	if file != "" && p.SettingsErr == nil {
		p.PublicURL, p.Proxies = settings.PublicURL, settings.TrustedProxies
		limits := settings.Limits.withDefaults()
		p.Connections, p.Files = limits.Connections+limits.AdminConnections, limits.files()
		p.ProcessorFolder, p.OpenID = settings.Processor.Folder, settings.OpenID.Issuer != ""
		p.FourEyes, p.Answers = settings.FourEyes, settings.Retention.Filled().Answers
	}
	return doctor.Examine(ctx, p)
}
