package fault

// useDownloadURL is the cure for a malformed download address.
const useDownloadURL = "Take the downloadUrl from /bankdocument/list."

// Faults of /bankdocument/download (interface §8.19).
var documentEntries = []Entry{
	{Kind: DownloadPartMissing, Code: 68301, HTTP: 400,
		Message: "Both culture and documentId are required.",
		Meaning: "The path lacks the culture or the document id.",
		Cure:    useDownloadURL,
	},
	{Kind: DocumentInvalid, Code: 68302, HTTP: 400,
		Message: "The requested document id = {documentId} is invalid.",
		Meaning: "The document id in the path is not a positive 32-bit integer.",
		Cure:    useDownloadURL,
	},
	{Kind: DocumentMisconfigured, Code: 68303, HTTP: 400,
		Message: "The requested document id = {documentId} is configured improperly. " +
			"Please contact support.",
		Meaning: "The document has no usable PDF form.",
		Cure: "Ask the operator to upload a PDF; " +
			"/bankdocument/list gives the HTML of the document.",
	},
	{Kind: DocumentUnknown, Code: 68304, HTTP: 400,
		Message: "The requested document id = {documentId} could not be located.",
		Meaning: "There is no document with this id in this culture, or it is not in force yet.",
		Cure:    useDownloadURL,
	},
}
