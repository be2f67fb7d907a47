package ledger

import "mintmark/internal/fault"

var customerCases = []Case{
	{Kind: fault.CustomerInvalid, Name: "list the cards of an unknown customer",
		Path: "/card/list/4711", Want: "Customer id 4711 is invalid."},
	{Kind: fault.CustomerInvalid, Name: "list the cards of a customer that is no number",
		Path: "/card/list/abc", Want: "Customer id abc is invalid."},
	{Kind: fault.CustomerInvalid, Name: "lock without a customer",
		Path: "/card/lock", Body: `{"lockReasonTypeCode":"TMP"}`,
		Want: "Customer id 0 is invalid."},
	{Kind: fault.CustomerInactive, Name: "list the cards of an inactive customer",
		Path: "/card/list/1005",
		Want: "Customer id 1005 is inactive. Inactive customers can perform no actions."},
	{Kind: fault.CustomerNotVerified, Name: "list the cards of a customer who is not verified",
		Path: "/card/list/1003",
		Want: "Customer id 1003 is not in a verified status. Unverified customers can do " +
			"nothing except call /customer/verify."},
	{Kind: fault.CustomerNotVerified, Name: "list the cards of a denied customer",
		Path: "/card/list/1011",
		Want: "Customer id 1011 is not in a verified status. Unverified customers can do " +
			"nothing except call /customer/verify."},
	{Kind: fault.CustomerLocked, Name: "list the cards of a locked customer",
		Path: "/card/list/1006", Want: "Customer id 1006 is locked."},
	{Kind: fault.CustomerDeceased, Name: "list the cards of a deceased customer",
		Path: "/card/list/1007", Want: "Customer id 1007 is marked as deceased."},
}

var findCases = []Case{
	{Kind: fault.GetCardInvalid, Name: "get an unknown card", Path: "/card/get/1001/4711",
		Want: "Invalid CardId 4711 or CustomerId 1001 is not associated with the card."},
	{Kind: fault.GetCardInvalid, Name: "get a card that is no number",
		Path: "/card/get/1001/-1",
		Want: "Invalid CardId -1 or CustomerId 1001 is not associated with the card."},
	{Kind: fault.GetCardInvalid, Name: "get the card of another customer",
		Path: "/card/get/1010/5001",
		Want: "Invalid CardId 5001 or CustomerId 1010 is not associated with the card."},
	{Kind: fault.TagUnknown, Name: "get a card by an unknown tag",
		Path: "/card/getbytag/1001/no%2Fsuch+tag", Want: "No card exists with Tag=no/such+tag."},
	{Kind: fault.TagUnknown, Name: "get the card of another customer by its tag",
		Path: "/card/getbytag/1010/demo-5001", Want: "No card exists with Tag=demo-5001."},
	{Kind: fault.ValueNotAcceptable, Name: "list the cards of no status",
		Path: "/card/list/1001?status=Lost",
		Want: "Value for property 'status' is not acceptable. Specifics: Not a card status or " +
			"group."},
	{Kind: fault.ValueNotAcceptable, Name: "list the cards of a status badly encoded",
		Path: "/card/list/1001?Status=Verified;x%",
		Want: "Value for property 'status' is not acceptable. Specifics: Not a card status or " +
			"group."},
	{Kind: fault.ValueNotAcceptable, Name: "list the cards of two statuses",
		Path: "/card/list/1001?status=Verified&status=Expired",
		Want: "Value for property 'status' is not acceptable. Specifics: Not a card status or " +
			"group."},
}

var documentCases = []Case{
	{Kind: fault.DownloadPartMissing, Name: "download a document without its number",
		Path: "/bankdocument/download/en-US", Want: "Both culture and documentId are required."},
	{Kind: fault.DownloadPartMissing, Name: "download a document without its culture",
		Path: "/bankdocument/download/", Want: "Both culture and documentId are required."},
	{Kind: fault.DocumentInvalid, Name: "download a document that is no number",
		Path: "/bankdocument/download/en-US/abc",
		Want: "The requested document id = abc is invalid."},
	{Kind: fault.DocumentUnknown, Name: "download an unknown document",
		Path: "/bankdocument/download/en-US/4711",
		Want: "The requested document id = 4711 could not be located."},
	{Kind: fault.DocumentUnknown, Name: "download a document of another culture",
		Path: "/bankdocument/download/es-US/80",
		Want: "The requested document id = 80 could not be located."},
	{Kind: fault.DocumentMisconfigured, Name: "download a document without a PDF",
		Path: "/bankdocument/download/en-US/90",
		Want: "The requested document id = 90 is configured improperly. Please contact support."},
}
