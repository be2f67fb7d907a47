package app

import (
	"fmt"
	"log/slog"
	"strings"

	"mintmark/internal/domain/subscription"
)

// Reload applies other settings while the app serves, and logs what has changed and what needs a
// restart. After an error, nothing has changed. The certificate is read again even if its settings
// are the same: its files may be new.
func (a *App) Reload(settings Settings) error {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	settings = settings.withDefaults()
	var read *certificate
	if a.certificate != nil && settings.TLSCert != "" {
		var err error
		read, err = openCertificate(settings.TLSCert, settings.TLSKey, a.Log)
		if err != nil {
			return err
		}
	}
	key, err := a.reloadPort(settings)
	if err != nil {
		return err
	}
	var changed, needsRestart []any
	for i, was := range a.inForce.Load().list() {
		l := settings.list()[i]
		switch {
		case was.value == l.value:
		case was.fixed || l.fixed:
			needsRestart = append(needsRestart, was.change(l))
		default:
			changed = append(changed, was.change(l))
		}
	}
	if read != nil {
		if from, to := a.certificate.use(read); from != to {
			changed = append(changed, slog.String("certificate", from+" → "+to))
		}
	}
	if key != "" {
		changed = append(changed, slog.String("processor key", key))
	}
	a.apply(settings)
	a.Log.Info("settings reloaded", "changes", len(changed), slog.Group("changed", changed...),
		slog.Group("needsRestart", needsRestart...))
	a.warn(settings)
	return nil
}

// apply applies the settings that need no restart.
func (a *App) apply(settings Settings) {
	limits := a.inForce.Load().Limits
	next := *a.inForce.Load()
	next.TrustedProxies, next.PublicURL = settings.TrustedProxies, settings.PublicURL
	next.Nodes, next.Limits = settings.Nodes, settings.Limits
	next.Processor = a.portSettings(settings)
	next.FourEyes, next.TokensApprove = settings.FourEyes, settings.TokensApprove
	next.WebhooksAllow = settings.WebhooksAllow
	next.Insecure, next.Warnings = settings.Insecure, settings.Warnings
	next.ReportSecrets = settings.ReportSecrets
	if a.certificate != nil && settings.TLSCert != "" {
		next.TLSCert, next.TLSKey = settings.TLSCert, settings.TLSKey
	}
	a.inForce.Store(&next)
	a.reloadHosts()
	a.callers.SetNodes(next.Nodes)
	if next.Limits != limits {
		a.public.limit(a.callerLimits(next.Limits))
		a.admin.limit(operatorLimits(next.Limits))
	}
}

// listed is a setting as the log shows it. Changing a fixed setting needs a restart.
type listed struct {
	name, value string
	fixed       bool
	secret      bool
}

func (l listed) change(to listed) slog.Attr {
	if l.secret {
		return slog.String(l.name, "another one")
	}
	quote := func(value string) string {
		if value == "" {
			return "none"
		}
		return value
	}
	return slog.String(l.name, quote(l.value)+" → "+quote(to.value))
}

// Setting is a setting with its name in the settings file, or a group of settings with the name of
// the group.
type Setting struct {
	Name, Value string
	Restart     bool // changing it needs a restart
}

// KnownSettings lists the settings with their defaults. A server with a certificate can change to
// another certificate without a restart.
func KnownSettings() []Setting {
	var all []Setting
	for _, l := range (Settings{}).withDefaults().list() {
		if l.name == "tlsCert" || l.name == "tlsKey" {
			l.fixed = false
		}
		all = append(all, Setting{l.name, l.value, l.fixed})
	}
	return all
}

// list returns the settings with their names in the settings file, in a fixed order.
func (s Settings) list() []listed {
	proxies := strings.Trim(fmt.Sprint(s.TrustedProxies), "[]")
	allowed := strings.Trim(fmt.Sprint(s.WebhooksAllow), "[]")
	noTLS := s.TLSCert == ""
	all := []listed{
		{name: "listen", value: s.Listen, fixed: true},
		{name: "adminListen", value: s.AdminListen, fixed: true},
		{name: "data", value: s.Data, fixed: true},
		{name: "database.url", value: s.Database.URL, fixed: true, secret: true},
		{name: "database.readCache", value: fmt.Sprint(s.Database.ReadCache), fixed: true},
		{name: "custody", value: s.Custody.Listed(), fixed: true, secret: true},
		{name: "tlsCert", value: s.TLSCert, fixed: noTLS},
		{name: "tlsKey", value: s.TLSKey, fixed: noTLS},
		{name: "trustedProxies", value: proxies},
		{name: "publicUrl", value: s.PublicURL},
		{name: "processor.kind", value: s.Processor.Kind, fixed: true},
		{name: "processor.url", value: s.Processor.URL},
		{name: "processor.jwks", value: s.Processor.JWKS},
		{name: "processor.folder", value: s.Processor.Folder, fixed: true},
		{name: "processor.secrets", value: revealed(s.Processor.Secrets), secret: true},
		{name: "processor.reportSecrets", value: revealed(s.ReportSecrets), secret: true},
		{name: "nodes", value: fmt.Sprint(max(1, s.Nodes))},
		{name: "tracesEndpoint", value: s.Traces, fixed: true},
		{name: "fourEyes", value: fmt.Sprint(s.FourEyes)},
		{name: "tokensApprove", value: fmt.Sprint(s.TokensApprove)},
		{name: subscription.AllowSetting, value: allowed},
		{name: "consoleUrl", value: s.ConsoleURL, fixed: true},
		{name: "openid", value: s.OpenID.describe(), fixed: true, secret: true},
		{name: "insecure", value: fmt.Sprint(s.Insecure)},
	}
	l, r := s.Limits, s.Retention.Filled()
	return append(all,
		listed{name: "retention.answers", value: r.Answers.String(), fixed: true},
		listed{name: "retention.deliveries", value: r.Deliveries.String(), fixed: true},
		listed{name: "retention.orders", value: r.Orders.String(), fixed: true},
		listed{name: "retention.approvals", value: r.Approvals.String(), fixed: true},
		listed{
			name: "retention.reconciliations", value: r.Reconciliations.String(), fixed: true,
		},
		listed{name: "retention.audit", value: s.Archives.describe(), fixed: true},
		listed{name: "retention.archives", value: s.Archives.Directory, fixed: true},
		listed{name: "limits.headerTimeout", value: l.HeaderTimeout.String()},
		listed{name: "limits.bodyTimeout", value: l.BodyTimeout.String()},
		listed{name: "limits.answerTimeout", value: l.AnswerTimeout.String()},
		listed{name: "limits.idleTimeout", value: l.IdleTimeout.String()},
		listed{name: "limits.headerBytes", value: fmt.Sprint(l.HeaderBytes)},
		listed{name: "limits.bodyBytes", value: fmt.Sprint(l.BodyBytes)},
		listed{name: "limits.connections", value: fmt.Sprint(l.Connections)},
		listed{name: "limits.adminConnections", value: fmt.Sprint(l.AdminConnections)},
	)
}
