package vault

import "fmt"

// sealedResult is the purpose of the sealed answer to an act that was approved.
const sealedResult = "result of approval"

// SealApprovalResult encrypts the answer to an act that was approved, which may hold a secret. The
// result opens for the same approval only.
func (v *Vault) SealApprovalResult(text []byte, approvalID int) ([]byte, error) {
	return v.sealing.Encrypt(text, binding(sealedResult, approvalID))
}

// OpenApprovalResult decrypts an answer that SealApprovalResult encrypted for the approval.
func (v *Vault) OpenApprovalResult(sealed []byte, approvalID int) ([]byte, error) {
	text, err := v.sealing.Decrypt(sealed, binding(sealedResult, approvalID))
	if err != nil {
		return nil, fmt.Errorf("the result of approval %d cannot be opened: %w", approvalID, err)
	}
	return text, nil
}
