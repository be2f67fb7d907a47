package fault

// noSuchProperty is why the faults of some property types are never returned.
const noSuchProperty = "No operation takes a boolean, an amount or a rate in its body."

// Faults of a request body (interface §2.7).
var bodyEntries = []Entry{
	{Kind: BodyIntegerText, Code: 59900, HTTP: 400,
		Message: "Could not convert {source} to {type}: {value}. " +
			"Path '{path}', line {line}, position {position}.",
		Meaning: "The value of an integer property is a text that is not an integer in range.",
		Cure:    "Send an integer, such as 1001.",
	},
	{Kind: BodyNameCharacter, Code: 59901, HTTP: 400,
		Message: "Invalid JavaScript property identifier character: {character}. " +
			"Path '{path}', line {line}, position {position}.",
		Meaning: "An unquoted property name holds a character that it may not hold. The usual " +
			"cause is a missing opening quote.",
		Cure: "Put the property name in quotes.",
	},
	{Kind: BodyColonExpected, Code: 59902, HTTP: 400,
		Message: "Expected ':' but got: {character}. " +
			"Path '{path}', line {line}, position {position}.",
		Meaning: "A property name is not followed by a colon. The usual cause is a missing " +
			"closing quote of the name.",
		Cure: "Close the quote of the property name, and put a colon after it.",
	},
	{Kind: BodyEqualsSign, Code: 59903, HTTP: 400,
		Message: "Invalid character after parsing property name. Expected ':' but got: =. " +
			"Path '{path}', line {line}, position {position}.",
		Meaning: "An equals sign stands between a property name and its value.",
		Cure:    "Put a colon in its place.",
	},
	{Kind: BodyArrayUnexpected, Code: 59904, HTTP: 400,
		Message: "Error reading {type}. Unexpected token: StartArray. " +
			"Path '{path}', line {line}, position {position}.",
		Meaning: "An array is given for a property that takes a single value or an object.",
		Cure:    "Send the value itself, without square brackets.",
	},
	{Kind: BodyNaN, Code: 59905, HTTP: 400,
		Message: "Error parsing NaN value. Path '{path}', line {line}, position {position}.",
		Meaning: "A value begins with a capital N and is not NaN. The usual cause is null " +
			"written as NULL or Null.",
		Cure: "Write null in small letters, or leave the property out.",
	},
	{Kind: BodySemicolon, Code: 59906, HTTP: 400,
		Message: "After parsing a value an unexpected character was encountered: ;. " +
			"Path '{path}', line {line}, position {position}.",
		Meaning: "A semicolon follows a value.",
		Cure:    "Separate the properties by commas.",
	},
	{Kind: BodySyntax, Code: 59949, HTTP: 400,
		Message: "{text}",
		Meaning: "The body breaks the rules of JSON in a way that no other code describes. " +
			"The message says how and where.",
		Cure: "Correct the body at the line and position in the message.",
	},
	{Kind: BodyUnexpectedEnd, Code: 59950, HTTP: 400,
		Message: "Unexpected end when deserializing object. " +
			"Path '{path}', line {line}, position {position}.",
		Meaning: "The body ends before the closing brace of an object.",
		Cure:    "Close every brace, and make sure that the whole body is sent.",
	},
	{Kind: BodyScalar, Code: 59951, HTTP: 400,
		Message: "Error converting value '{value}' to type '{type}'. " +
			"Path '', line {line}, position {position}.",
		Meaning: "The body is a single value instead of an object. The usual cause is a " +
			"missing opening brace.",
		Cure: "Send a JSON object, beginning with an opening brace.",
	},
	{Kind: BodyDateTime, Code: 59952, HTTP: 400,
		Message: "Value for property '{property}' is not formatted as a valid ISO-8601 " +
			"DateTime. Example value=2015-06-01T12:34:56.789+00:00",
		Meaning: "The value of a date-time property is not an ISO 8601 date or date-time.",
		Cure:    "Send a date such as 1985-03-14, or a date-time like the example in the message.",
	},
	{Kind: BodyBoolean, Code: 59953, HTTP: 400,
		Message: "Value for property '{property}' is not formatted as a valid boolean. " +
			"Valid values=true,false",
		Meaning:  "The value of a boolean property is neither true nor false.",
		Cure:     "Send true or false.",
		Reserved: noSuchProperty,
	},
	{Kind: BodyAmount, Code: 59954, HTTP: 400,
		Message: "Value for property '{property}' is not formatted as a valid decimal " +
			"(precision up to 2).",
		Meaning: "The value of an amount is not a decimal number, or has more than 2 digits " +
			"after the point.",
		Cure:     "Send a decimal number with at most 2 digits after the point.",
		Reserved: noSuchProperty,
	},
	{Kind: BodyRate, Code: 59955, HTTP: 400,
		Message: "Value for property '{property}' is not formatted as a valid decimal " +
			"(precision up to 11).",
		Meaning: "The value of a rate is not a decimal number, or has more than 11 digits " +
			"after the point.",
		Cure:     "Send a decimal number with at most 11 digits after the point.",
		Reserved: noSuchProperty,
	},
	{Kind: ValueNotAcceptable, Code: 59956, HTTP: 400,
		Message: "Value for property '{property}' is not acceptable. Specifics: {specifics}",
		Meaning: "A value is missing, too long, of the wrong type or otherwise not acceptable, " +
			"as the specifics say. " +
			"The property may also be the status of /card/list or the header Idempotency-Key.",
		Cure: "Correct the named property as the specifics say. While a request with the same " +
			"Idempotency-Key is at work, send it again after a moment.",
	},
	{Kind: BodyNotClosed, Code: 59957, HTTP: 400,
		Message: "Missing a closing curly brace. Specifics: {specifics}",
		Meaning: "The body ends in the middle of a property or an array, or a bracket of the " +
			"wrong kind closes it. The specifics say where.",
		Cure: "Close every bracket by its counterpart, and make sure that the whole body is " +
			"sent.",
	},
	{Kind: BodyNotOpened, Code: 59958, HTTP: 400,
		Message: "Missing an opening curly brace. Specifics: {specifics}",
		Meaning: "The body is empty, null or an array, or does not begin with a JSON value.",
		Cure:    "Send a JSON object, beginning with an opening brace.",
	},
	{Kind: BodyUnreadable, Code: 59999, HTTP: 400,
		Message: "{text}",
		Meaning: "The body is larger than 64 KiB or exceeds another limit of the reader, or " +
			"the request breaks the rules of HTTP, for instance by headers above 16 KiB, by a " +
			"length that is given twice or by plain HTTP where HTTPS is spoken, or a sandbox " +
			"is called by a web page of another server.",
		Cure: "Correct the request as the message says.",
	},
}
