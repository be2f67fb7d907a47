package vault

import "fmt"

// sealedResult is the purpose of the encrypted result of an approved act.
const sealedResult = "result of approval"

// SealApprovalResult encrypts the response to an approved act, which may contain a secret. The
// result decrypts only for the same approval.
func (v *Vault) SealApprovalResult(text []byte, approvalID int) ([]byte, error) {
	return v.sealing.Encrypt(text, binding(sealedResult, approvalID))
}

// OpenApprovalResult decrypts a response that SealApprovalResult encrypted for the approval.
func (v *Vault) OpenApprovalResult(sealed []byte, approvalID int) ([]byte, error) {
	text, err := v.sealing.Decrypt(sealed, binding(sealedResult, approvalID))
	if err != nil {
		return nil, fmt.Errorf("decrypt the result of approval %d: %w", approvalID, err)
	}
	return text, nil
}
