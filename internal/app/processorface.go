package app

import (
	"net/http"
	"strings"

	"mintmark/internal/face/processorapi"
	"mintmark/internal/face/web"
	"mintmark/internal/vault/signature"
)

// withProcessor serves the face of the card processor beside the other pages of the admin address.
func (a *App) withProcessor(pages http.Handler) http.Handler {
	host := a.newHost("request identifiers of the processor",
		web.Settings{
			BodyLimit: processorapi.MaxBodyBytes, BodyTimeout: a.Limits.BodyTimeout,
			AnswerTimeout: a.Limits.AnswerTimeout,
		})
	reports := host.Handler(
		processorapi.New(a.service.Orders, a.service.Transfers, a.reportSecrets))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, processorapi.Prefix) {
			reports.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// SandboxReportSecret signs the reports to a sandbox. It is public, and no secret of production.
var SandboxReportSecret = publicSecret(processorapi.SandboxSecret)

func publicSecret(text string) signature.Secret {
	read, err := signature.ParseSecret(text)
	if err != nil {
		panic(err) // a constant of the program
	}
	return read
}

// reportSecrets are the secrets with which the card processor signs. That of a sandbox is public.
func (a *App) reportSecrets() []signature.Secret {
	known := a.inForce.Load().ReportSecrets
	if !a.Sandbox {
		return known
	}
	return append([]signature.Secret{SandboxReportSecret}, known...)
}
