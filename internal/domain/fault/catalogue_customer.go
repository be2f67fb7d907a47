package fault

// Faults of the customer in a request (interface §7.3).
var customerEntries = []Entry{
	{Kind: CustomerInvalid, Code: 60001, HTTP: 400,
		Message: "Customer id {customerId} is invalid.",
		Meaning: "The customer is unknown in the program of the API key, or the id is missing " +
			"or not a positive 32-bit integer.",
		Cure: "Send the customerId of a customer of the program.",
	},
	{Kind: CustomerInactive, Code: 60002, HTTP: 400,
		Message: "Customer id {customerId} is inactive. " +
			"Inactive customers can perform no actions.",
		Meaning: "The customer is inactive or archived.",
		Cure:    "Ask the operator to activate the customer.",
	},
	{Kind: CustomerNotVerified, Code: 60003, HTTP: 400,
		Message: "Customer id {customerId} is not in a verified status. " +
			"Unverified customers can do nothing except call /customer/verify.",
		Meaning: "The status of the customer is not Verified.",
		Cure:    "Have the customer verified first.",
	},
	{Kind: CustomerLocked, Code: 60004, HTTP: 400,
		Message: "Customer id {customerId} is locked.",
		Meaning: "The customer is locked.",
		Cure:    "Ask the operator to unlock the customer.",
	},
	{Kind: CustomerDeceased, Code: 60005, HTTP: 400,
		Message: "Customer id {customerId} is marked as deceased.",
		Meaning: "A date of death is on file for the customer.",
		Cure: "Make no more requests for the customer, or ask the operator to correct a " +
			"date entered by mistake.",
	},
}
