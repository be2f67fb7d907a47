package ledger

import "mintmark/internal/domain/fault"

// lock returns a case that sends an invalid body to a route with three members.
func lock(kind fault.Kind, name, body, want string) Case {
	return Case{
		Kind: kind, Name: name, Method: "POST", Path: "/card/lock", Body: body, Want: want,
	}
}

var bodyCases = []Case{
	lock(fault.BodyIntegerText, "a text for a number", `{"customerId":"abc","cardId":2}`,
		"Could not convert string to integer: abc. Path 'customerId', line 1, position 19."),
	lock(fault.BodyNameCharacter, "a name without its opening quote",
		`{customerId":1,"cardId":2}`,
		`Invalid JavaScript property identifier character: ". Path '', line 1, position 11.`),
	lock(fault.BodyColonExpected, "a name without its closing quote",
		`{"customerId:1,"cardId":2}`, "Expected ':' but got: c. Path '', line 1, position 16."),
	lock(fault.BodyEqualsSign, "an equals sign for a colon", `{"customerId"=1}`,
		"Invalid character after parsing property name. Expected ':' but got: =. Path '', "+
			"line 1, position 13."),
	lock(fault.BodyArrayUnexpected, "an array for a number", `{"customerId":[],"cardId":2}`,
		"Error reading integer. Unexpected token: StartArray. Path 'customerId', line 1, "+
			"position 15."),
	lock(fault.BodyNaN, "null in capitals", `{"customerId":NULL,"cardId":2}`,
		"Error parsing NaN value. Path 'customerId', line 1, position 14."),
	lock(fault.BodySemicolon, "a semicolon for a comma", `{"customerId":1;"cardId":2}`,
		"After parsing a value an unexpected character was encountered: ;. Path 'customerId', "+
			"line 1, position 15."),
	lock(fault.BodySyntax, "a word without quotes", `{"customerId":abc,"cardId":2}`,
		"Unexpected character encountered while parsing value: a. Path 'customerId', line 1, "+
			"position 14."),
	lock(fault.BodyUnexpectedEnd, "no closing brace", `{"customerId":1`,
		"Unexpected end when deserializing object. Path 'customerId', line 1, position 15."),
	lock(fault.BodyScalar, "no opening brace", `"customerId":1,"cardId":2}`,
		"Error converting value 'customerId' to type 'CardLockRequest'. Path '', line 1, "+
			"position 12."),
	{Kind: fault.BodyDateTime, Name: "a date in another form", Path: "/card/verify",
		Body: `{"birthDate":"13/01/2015","customerId":1}`,
		Want: "Value for property 'birthDate' is not formatted as a valid ISO-8601 DateTime. " +
			"Example value=2015-06-01T12:34:56.789+00:00"},
	lock(fault.ValueNotAcceptable, "a fraction for a number", `{"customerId":12.5,"cardId":2}`,
		"Value for property 'customerId' is not acceptable. Specifics: Input string '12.5' is "+
			"not a valid integer."),
	lock(fault.BodyNotClosed, "the end of the body behind a colon", `{"customerId":`,
		"Missing a closing curly brace. Specifics: Unexpected end when setting customerId's "+
			"value. Path 'customerId', line 1, position 14."),
	lock(fault.BodyNotOpened, "an empty body", ``,
		"Missing an opening curly brace. Specifics: The request body holds no JSON object."),
	lock(fault.BodyNotOpened, "a form for JSON", `customerId=1&cardId=2`,
		"Missing an opening curly brace. Specifics: Unexpected character encountered while "+
			"parsing value: c. Path '', line 0, position 0."),
}
