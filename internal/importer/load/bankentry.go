package load

import (
	"mintmark/internal/base/problem"
	"mintmark/internal/domain/program"
)

type bankEntry struct {
	BankID  int           `json:"bankId"`
	Name    string        `json:"name"`
	PciKeys []pciKeyEntry `json:"pciKeys"`
}

var bankForm = form{
	title: "banks",
	members: map[string]string{
		"bankId":  "Number of the bank.",
		"name":    "Name, for operators.",
		"pciKeys": "Encryption keys that the bank may use.",
	},
	rules:  problem.Describe(program.Institution{}),
	nested: []string{"pciKeys"},
}

type pciKeyEntry struct {
	PciKeyID int `json:"pciKeyId"`
	Status   int `json:"status"`
}

var pciKeyForm = form{
	title: "pciKeys",
	says:  "A bank without a key of status 1 gets no card (50904).",

	members: map[string]string{
		"pciKeyId": "Number of the encryption key.",
		"status":   "1 encrypts and decrypts, 2 only decrypts, 3 is retired.",
	},
	rules: problem.Describe(program.PciKey{}),
}
