package openapi

import (
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
)

// productTypes are the types of product and account in the program object.
var productTypes = texts(customer.AccountTypes)

// programWords describes the properties of the program object and of its nested objects (interface
// §5.4 to §5.6).
var programWords = map[string]word{
	"minimumAmount": {says: "Least amount, inclusive."},
	"maximumAmount": {says: "Greatest amount, inclusive."},

	"decimalCount": {from: 0, to: program.MaxDecimalCount,
		says: "Digits after the decimal point of every amount."},
	"filledDate": {says: "When the settings were read; at most 5 minutes ago."},

	"isInterestEnabled": {says: "Whether interest accrues."},
	"isInternalToInternalTransferEnabled": {says: "Whether a customer may move money between " +
		"own accounts."},
	"isRecurringContributionEnabled": {says: "Whether recurring contributions are possible."},

	"Program.name":                 {length: program.MaxName, says: "Name of the program."},
	"perProgramDailyDepositLimit":  {says: "All deposits of a day in the program."},
	"perProgramDailyWithdrawLimit": {says: "All withdrawals of a day in the program."},
	"perTransactionDepositLimit":   {says: "One deposit."},
	"perTransactionWithdrawLimit":  {says: "One withdrawal."},
	"perUserDailyDepositLimit":     {says: "All deposits of a day of one customer."},
	"perUserDailyWithdrawLimit":    {says: "All withdrawals of a day of one customer."},
	"perUserMonthlyDepositLimit":   {says: "All deposits of a month of one customer."},
	"perUserMonthlyWithdrawLimit":  {says: "All withdrawals of a month of one customer."},
	"regDFeeAmount": {says: "Fee on each withdrawal from savings above " +
		"regDMonthlyTransactionWithdrawCountMax."},
	"regDMonthlyTransactionWithdrawCountMax": {says: "Withdrawals per month from a customer's " +
		"savings before the fee applies."},
	"timeZone": {length: program.MaxTimeZone, says: "Time zone of all dates."},
	"verificationType": {length: program.MaxVerificationType,
		says: "How a new customer is verified."},
	"website":          {length: program.MaxWebsite, says: "Address of the program's site."},
	"Program.accounts": {says: "Accounts of the program itself."},
	"externalAccounts": {says: "Accounts of the program at other banks."},
	"products":         {says: "Products of the program."},
	"bin":              {says: "BINs of the program."},
	"checkingProducts": {deprecated: true,
		says: "Checking products by name. Version 1 only; filter products by category."},
	"prepaidProducts": {deprecated: true,
		says: "Prepaid products by name. Version 1 only; filter products by category."},
	"savingsProducts": {deprecated: true,
		says: "Savings products by name. Version 1 only; filter products by category."},
	"publicKeyAlgorithms": {length: program.MaxAlgorithms,
		says: "Algorithms approved for encrypted PINs, separated by commas."},
	"bank":                           {says: "The bank of the program."},
	"eCodeProducts":                  {says: "Always empty."},
	"isDebitRewardsEnabled":          {says: "Whether debit rewards are possible."},
	"perUserAccountCountMax":         {says: "Maximum of accounts of one customer."},
	"perUserExternalAccountCountMax": {says: "Maximum of external accounts of one customer."},
	"perUserTotalAccountBalanceMax":  {says: "Maximum sum of one customer's balances."},
	"validAccountTypes":              {says: "Types of account that the program has."},
	"validProductTypes":              {says: "Types of product that the program has."},

	"accountNumber":               {says: "Account number."},
	"description":                 {says: "Description."},
	"isActive":                    {says: "Whether it is in use."},
	"programAccountId":            {says: "Identifier of the account in the program."},
	"ProgramAccount.type":         {says: "Purpose of the account."},
	"externalAccountId":           {says: "Identifier of the external account."},
	"nachaName":                   {says: "Name used in transfers."},
	"programExternalAccountId":    {says: "Identifier of the account in the program."},
	"routingNumber":               {says: "Routing number of the other bank."},
	"ProgramExternalAccount.type": {says: "Purpose of the account."},

	"maintenanceStartDate": {says: "Start of the next maintenance."},
	"maintenanceEndDate":   {says: "End of the next maintenance."},
	"Bank.name":            {says: "Name of the bank."},
	"phone":                {says: "Phone number."},
	"webUrl":               {says: "Address of the bank's site."},

	"productId":                 {says: "Identifier of the product."},
	"Product.type":              {says: "Type.", oneOf: productTypes},
	"category":                  {says: "Category."},
	"Product.name":              {says: "Name of the product."},
	"balanceLimit":              {says: "Balance of an account."},
	"interestRates":             {says: "Interest by tier."},
	"isExternalWithdrawEnabled": {says: "Whether money may be moved to another bank."},
	"perMonthRegDTransactionCountMaximum": {
		says: "Maximum number of withdrawals a month under Regulation D."},
	"perMonthRegDTransactionCountWithoutFee": {
		says: "Withdrawals per month under Regulation D without a fee."},
	"apr":               {says: "Annual percentage rate."},
	"apy":               {says: "Annual percentage yield."},
	"rateEffectiveDate": {says: "Since when the rate applies."},
	"tier":              {says: "Number of the tier."},
}
