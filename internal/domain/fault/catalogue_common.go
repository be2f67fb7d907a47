package fault

// quoteRequestID is the cure of the two faults whose details are only in the log.
const quoteRequestID = "Give the operator the requestId: the log has the details under it."

// Faults that any request may get, regardless of its operation (interface §7.2).
var commonEntries = []Entry{
	{Kind: Unauthorized, Code: 50401, HTTP: 401, Transient: true,
		Message: "User is not authorized.",
		Meaning: "The Authorization header is absent or malformed, the API key is unknown, or " +
			"the secret is wrong or expired.",
		Cure: "Send a live key and secret by the Basic scheme, and ask the operator for a " +
			"new secret when the old one has expired.",
	},
	{Kind: AddressNotTrusted, Code: 50403, HTTP: 403, Transient: true,
		Message: "IP is not trusted.",
		Meaning: "The address that the request comes from is not on the allow-list of the API " +
			"key.",
		Cure: "Ask the operator to put the address on the allow-list of the key.",
	},
	{Kind: RouteUnknown, Code: 50404, HTTP: 404,
		Message: "The requested resource was not found.",
		Meaning: "The path names no route of the version that the API key is tied to.",
		Cure:    "Correct the path; a route that is deprecated is left out of version 2.",
	},
	{Kind: MethodNotAllowed, Code: 50405, HTTP: 405,
		Message: "The requested HTTP method is not allowed.",
		Meaning: "The route does not take the method of the request.",
		Cure:    "Use a method that the Allow header of the answer names.",
	},
	{Kind: RateExceeded, Code: 50429, HTTP: 429, Transient: true,
		Message: "Rate limit exceeded; wait and retry.",
		Meaning: "The API key sends more requests than its rate allows, or five PINs have been " +
			"taken for the card within an hour, or too many PINs of the key could not be " +
			"decrypted.",
		Cure: "Wait as long as the Retry-After header says, then send the request again.",
	},
	{Kind: InternalError, Code: 50500, HTTP: 500, Transient: true,
		Message:  "Internal Server Error.",
		Meaning:  "A mistake in the service's program was found while it handled the request.",
		Cure:     quoteRequestID,
		Reserved: "Only a mistake in the program causes it.",
	},
	{Kind: NotImplemented, Code: 50501, HTTP: 501, Transient: true,
		Message: "Not Implemented.",
		Meaning: "HTTP does not define the method, or the service does not support the " +
			"transfer coding of the body.",
		Cure: "Send a method that HTTP defines, and the body plain or chunked.",
	},
	{Kind: BadGateway, Code: 50502, HTTP: 502, Transient: true,
		Message:  "Bad Gateway.",
		Meaning:  "The service cannot use the answer of the card processor.",
		Cure:     "Try again later, and tell the operator if the fault persists.",
		Reserved: "No act waits for the card processor: orders are sent after the answer.",
	},
	{Kind: Unavailable, Code: 50503, HTTP: 503, Transient: true,
		Message: "Service Unavailable.",
		Meaning: "The service cannot reach its database or cannot write to it, or too many " +
			"PINs are waiting to be decrypted, or too many connections are open, or the program " +
			"moves to another installation. Nothing has changed.",
		Cure: "Wait as long as the Retry-After header says, then repeat the request with " +
			"the same Idempotency-Key if it carried one.",
	},
	{Kind: GatewayTimeout, Code: 50504, HTTP: 504, Transient: true,
		Message: "Gateway Timeout.",
		Meaning: "The answer was not ready within the time limit of 30 seconds, or the " +
			"database failed while it committed the changes of the request. The commit outcome " +
			"is unknown.",
		Cure: "Repeat the request with the same Idempotency-Key, or read first what it may " +
			"have changed.",
	},
	{Kind: HTTPVersion, Code: 50505, HTTP: 505, Transient: true,
		Message: "HTTP Version Not Supported.",
		Meaning: "The request came over HTTP/1.0 or HTTP/2.",
		Cure:    "Set the client to HTTP/1.1.",
	},
	{Kind: Incident, Code: 52998, HTTP: 500, Transient: true,
		Message: "Internal Server Error. Incident Id : {incidentId}",
		Meaning: "The service failed in a way that no other code describes. " +
			"The incident id is the requestId of the answer.",
		Cure: quoteRequestID,
	},
	{Kind: QualificationService, Code: 58150, HTTP: 500, Transient: true,
		Message: "Error from an external qualification service.",
		Meaning: "An outside service that checks customers reported a fault. Its message may " +
			"replace this one.",
		Cure:     "Try again later, and tell the operator if the fault persists.",
		Reserved: "It belongs to the opening of customers, which the interface does not define.",
	},
}
