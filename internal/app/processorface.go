package app

import (
	"net/http"

	"mintmark/internal/app/sandboxed"
	"mintmark/internal/face/processorapi"
	"mintmark/internal/vault/signature"
)

// processorFace returns the face of the card processor.
func (a *App) processorFace() http.Handler {
	host := a.newHost("request identifiers of the processor", processorapi.MaxBodyBytes)
	return host.Handler(processorapi.New(a.service.Orders, a.service.Transfers, a.reportSecrets))
}

// reportSecrets returns the secrets with which the card processor signs. A sandbox has an
// additional, public one.
func (a *App) reportSecrets() []signature.Secret {
	known := a.inForce.Load().ReportSecrets
	if a.sandbox == nil {
		return known
	}
	return append([]signature.Secret{sandboxed.ReportSecret}, known...)
}
