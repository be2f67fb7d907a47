package load

import (
	"reflect"

	"mintmark/internal/apikey"
	"mintmark/internal/bankdoc"
	"mintmark/internal/card"
	"mintmark/internal/customer"
	"mintmark/internal/program"
)

// Texts that the interface shows for settings without listing them as complete (sections 2.3 and
// 2.4). The import allows no others, because a misspelt one would never be noticed.
var (
	algorithms = []string{
		"RSA-OAEP-SHA512-MGF1", "RSA-OAEP-SHA256-MGF1", "RSA-OAEP-SHA1-MGF1", program.PlainPins,
	}
	categories          = []string{"Checking", "Savings", "Prepaid"}
	programAccountTypes = []string{
		"ProgramClearingAccount", "ProgramReserve", "InterestExpense", "InterestAccrual",
		"BackupWithholdingAccount", "CardSettlement",
	}
	externalAccountTypes = []string{
		"VerificationFund", "InterestFund", "BackupWithholdingAccount", "Miscellaneous",
		"BankIncomeAccount", "ProgramExternalAccount",
	}
)

var (
	lockTypes    = []card.LockType{card.Unlocked, card.Customer, card.System}
	accountTypes = oneOf(customer.AccountTypes...)
	vendors      = oneOf("VS", "MC")
)

// maxMonths and maxDays keep a slip of the finger from becoming a date in a far century.
const (
	maxMonths = 240
	maxDays   = 3650
)

// shapes holds every rule about single fields, by the type of the entry. A field without a row
// may be left out and takes any value of its type.
var shapes = map[reflect.Type]shape{
	reflect.TypeFor[entries](): {},

	reflect.TypeFor[bankEntry](): {
		"bankId":  need(id),
		"name":    need(atMost(50)),
		"pciKeys": {elsewhere: true},
	},
	reflect.TypeFor[pciKeyEntry](): {
		"pciKeyId": need(id),
		"status":   need(between(int64(program.EncryptAndDecrypt), int64(program.Retired))),
	},
	reflect.TypeFor[binEntry](): {
		"binId":          need(id),
		"programId":      may(id),
		"vendorTypeCode": need(vendors),
		"description":    may(atMost(100)),
		"firstNumber":    need(),
		"lastNumber":     need(),
		"validMonths":    may(between(1, maxMonths)),
	},
	reflect.TypeFor[keyEntry](): {
		// Basic credentials end the name at the first colon.
		"name":      need(atMost(50), without(":")),
		"programId": need(id),
		"version":   need(between(1, 2)),
		"state":     may(oneOf(active, revoked)),
		"secrets":   unshown(need(count(1, apikey.MaxSecrets))),
		"allow":     need(count(1, 1000), each(address)),

		"compatibility": may(each(oneOf(apikey.Compatibilities...)), distinct),
	},
	reflect.TypeFor[secretEntry](): {"secret": need(atMost(255))},

	reflect.TypeFor[customerEntry](): {
		"customerId":   need(id),
		"programId":    need(id),
		"status":       need(oneOf(customer.Statuses...)),
		"accessType":   need(oneOf(customer.AccessTypes...)),
		"deceasedDate": may(calendarDate),
		"birthDate":    need(calendarDate),
		"firstName":    need(atMost(64)),
		"lastName":     need(atMost(128)),
		"mobilePhone":  may(atMost(20)),
		"homePhone":    may(atMost(20)),
	},
	reflect.TypeFor[customer.Address](): {
		"line1":      need(atMost(100)),
		"line2":      may(atMost(100)),
		"city":       need(atMost(50)),
		"region":     may(atMost(50)),
		"postalCode": need(atMost(20)),
		"country":    need(atMost(50)),
	},
	reflect.TypeFor[accountEntry](): {
		"accountId":     need(id),
		"programId":     need(id),
		"customerId":    need(id),
		"type":          need(accountTypes),
		"status":        need(oneOf(customer.AccountStatuses...)),
		"name":          need(atMost(50)),
		"tag":           may(atMost(50)),
		"accountNumber": need(digits(4, 17)),
	},
	reflect.TypeFor[accessEntry](): {
		"programId":  need(id),
		"customerId": need(id),
		"accountId":  need(id),
		"type":       need(oneOf(customer.FullAccess, customer.ReadOnly, customer.NoAccess)),
	},
	reflect.TypeFor[documentEntry](): {
		"documentId":    need(id),
		"bankId":        need(id),
		"culture":       need(atMost(20)),
		"documentType":  need(oneOf(bankdoc.Types...)),
		"title":         need(atMost(100)),
		"effectiveDate": need(),
		"html":          unshown(need()),
		"pdf":           unshown(may()),
	},
	reflect.TypeFor[cardEntry](): {
		"cardId":               need(id),
		"programId":            need(id),
		"customerId":           need(id),
		"cardHolderCustomerId": may(id),
		"binId":                need(id),
		"typeCode":             may(oneOf("DBT", "CDT")),
		"status":               need(oneOf(card.Statuses...)),
		"lockTypeCode":         may(oneOf(lockTypes...)),
		"lockReasonTypeCode":   may(oneOf(card.Reasons...)),
		"nickName":             need(),
		"firstName":            need(),
		"lastName":             need(),
		"accountIds":           need(count(1, 2*card.MaxSlots), each(id), distinct),
		"createdDate":          need(),
	},

	reflect.TypeFor[programEntry](): {
		"programId":              need(id),
		"bankId":                 need(id),
		"verificationWindowDays": may(between(1, maxDays)),
		"bins":                   {elsewhere: true},

		"decimalCount":                           need(between(0, 4)),
		"name":                                   need(atMost(50)),
		"regDMonthlyTransactionWithdrawCountMax": may(notNegative),
		"timeZone":                               need(atMost(50), zone),
		"verificationType":                       may(atMost(50)),
		"website":                                may(atMost(50)),
		"publicKeyAlgorithms":                    need(atMost(200), listed(oneOf(algorithms...))),
		"bank":                                   need(),
		"perUserAccountCountMax":                 may(notNegative),
		"perUserExternalAccountCountMax":         may(notNegative),
		"validAccountTypes":                      may(each(accountTypes), distinct),
		"validProductTypes":                      may(each(accountTypes), distinct),

		"filledDate":       computed,
		"bin":              computed,
		"checkingProducts": computed,
		"prepaidProducts":  computed,
		"savingsProducts":  computed,
	},
	reflect.TypeFor[program.Bank](): {
		"name":     need(atMost(50)),
		"phone":    may(atMost(50)),
		"timeZone": need(atMost(50), zone),
		"webUrl":   may(atMost(255)),
	},
	reflect.TypeFor[program.Limit](): {},
	reflect.TypeFor[program.ProgramAccount](): {
		"accountId":        need(id),
		"accountNumber":    need(digits(4, 17)),
		"programAccountId": need(id),
		"type":             need(oneOf(programAccountTypes...)),
	},
	reflect.TypeFor[program.ExternalAccount](): {
		"accountNumber":            need(digits(4, 17)),
		"externalAccountId":        need(id),
		"programExternalAccountId": need(id),
		"routingNumber":            need(digits(9, 9)),
		"type":                     need(oneOf(externalAccountTypes...)),
	},
	reflect.TypeFor[program.Product](): {
		"productId":                              need(id),
		"type":                                   need(accountTypes),
		"category":                               need(oneOf(categories...)),
		"name":                                   need(atMost(50)),
		"description":                            may(atMost(255)),
		"perMonthRegDTransactionCountMaximum":    may(notNegative),
		"perMonthRegDTransactionCountWithoutFee": may(notNegative),
	},
	reflect.TypeFor[program.InterestRate](): {
		"apr":         need(),
		"apy":         need(),
		"description": may(atMost(255)),
		"productId":   may(id),
		"tier":        need(id),
	},
}
