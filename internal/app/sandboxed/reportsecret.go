package sandboxed

import (
	"mintmark/internal/face/processorapi"
	"mintmark/internal/vault/signature"
)

// ReportSecret signs the reports to a sandbox. It is public, and never a secret of production.
var ReportSecret = publicSecret(processorapi.SandboxSecret)

func publicSecret(text string) signature.Secret {
	read, err := signature.ParseSecret(text)
	if err != nil {
		panic(err) // a constant of the program
	}
	return read
}
