package cli

// Commands are the commands that ask a service, by their nouns. Those on audit, operators and
// tokens stand in package main, because some of them work on the machine itself, too.
type Commands struct {
	Me       meCommand       `cmd:"" group:"ask" help:"Print who the token belongs to, and what it may do."`
	Overview overviewCommand `cmd:"" group:"ask" help:"Print the state of the service at a glance."`

	Bank            bankCommands                   `cmd:"" group:"ask" help:"Banks."`
	EncryptionKey   encryptionKeyCommands          `cmd:"" group:"ask" help:"Encryption keys of banks."`
	Keys            bankKeyCommands                `cmd:"" group:"ask" help:"Keys that card numbers and PINs of banks are sealed under."`
	Document        documentCommands               `cmd:"" group:"ask" help:"Documents of banks: drafts, PDFs, publishing."`
	Program         programCommands                `cmd:"" group:"ask" help:"Card programs and their settings."`
	Product         partCommands[products]         `cmd:"" group:"ask" help:"Products of programs."`
	Bin             binCommands                    `cmd:"" group:"ask" help:"Ranges of card numbers."`
	ProgramAccount  partCommands[programAccounts]  `cmd:"" group:"ask" help:"Accounts of programs."`
	ExternalAccount partCommands[externalAccounts] `cmd:"" group:"ask" help:"Accounts of programs at other banks."`
	Key             keyCommands                    `cmd:"" group:"ask" help:"Keys of calling programs: issue, rotate, revoke."`

	Customer customerCommands `cmd:"" group:"ask" help:"Customers."`
	Account  accountCommands  `cmd:"" group:"ask" help:"Accounts of customers, and who else has access."`
	Card     cardCommands     `cmd:"" group:"ask" help:"Cards: find, lock, unlock, reissue, archive."`
	Order    orderCommands    `cmd:"" group:"ask" help:"Orders to the card processor."`

	Reconciliation reconciliationCommands `cmd:"" group:"ask" help:"Lists of the card processor and of the core, compared with what is kept."`

	Webhook  webhookCommands  `cmd:"" group:"ask" help:"Webhooks and their deliveries."`
	Event    eventCommands    `cmd:"" group:"ask" help:"Events, as webhooks tell them."`
	Listen   listenCommand    `cmd:"" group:"ask" help:"Show events as they happen, and forward them to a program on this machine."`
	Approval approvalCommands `cmd:"" group:"ask" help:"Acts that another operator has to confirm."`
	Job      jobCommands      `cmd:"" group:"ask" help:"Jobs in the background."`
	API      apiCommand       `cmd:"" name:"api" group:"ask" help:"Send any request of the operators' interface."`
}
