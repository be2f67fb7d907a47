package ledger

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"

	"mintmark/internal/fault"
)

const birth = `"birthDate":"1985-03-14"`

var verifyCases = []Case{
	{Kind: fault.ValueNotAcceptable, Name: "verify without a birth date",
		Path: "/card/verify", Body: Act(5001, `"cardNumberMasked":"1111"`),
		Want: notAcceptable + "birthDate' is not acceptable. Specifics: A value is required."},
	{Kind: fault.ValueNotAcceptable, Name: "verify without a number",
		Path: "/card/verify", Body: Act(5001, birth),
		Want: notAcceptable + "cardNumberMasked' is not acceptable. Specifics: A value is " +
			"required."},
	{Kind: fault.VerifyCardInvalid, Name: "verify an unknown card",
		Path: "/card/verify", Body: Act(4711, birth+`,"cardNumberMasked":"1111"`),
		Want: "Invalid CardId 4711 or CustomerId 1001 is not associated with the card."},
	{Kind: fault.VerifyStatus, Name: "verify a card twice",
		Path: "/card/verify", Body: Act(5001, birth+`,"cardNumberMasked":"1111"`),
		Want: "CardId 5001 must be in a PendingVerification status to be verified. Current " +
			"status is Verified."},
	{Kind: fault.VerifyMismatch, Name: "verify with another birth date", Given: Pending,
		Path: "/card/verify", Body: `{"customerId":1001,"cardId":$card,` +
			`"birthDate":"1985-03-15","cardNumberMasked":"1111"}`,
		Want: "Provided values do not match those on file."},
	{Kind: fault.VerifyMismatch, Name: "verify with another number", Given: Pending,
		Path: "/card/verify", Body: `{"customerId":1001,"cardId":$card,` +
			birth + `,"cardNumberMasked":"1112"}`,
		Want: "Provided values do not match those on file."},
}

const bySystem = "CardId $card has been locked by the System and cannot be unlocked by a customer."

const noAccess = "CustomerId 1001 does not have access to CardId "

var lockCases = []Case{
	{Kind: fault.LockReasonInvalid, Name: "lock for no known reason",
		Path: "/card/lock", Body: Act(5001, `"lockReasonTypeCode":"XXX"`),
		Want: "Invalid Card Lock Reason Type Code XXX."},
	{Kind: fault.UseHotlist, Name: "lock a lost card",
		Path: "/card/lock", Body: Act(5001, `"lockReasonTypeCode":"lst"`),
		Want: "Use the /card/hotlist route to report a lost, stolen, or suspected fraud card."},
	{Kind: fault.LockReasonRequired, Name: "lock without a reason",
		Path: "/card/lock", Body: Act(5001, ""),
		Want: "Must specify a valid lockReasonTypeCode. Values include UNK, FRD, DMG, ADM, TMP."},
	{Kind: fault.LockReasonRequired, Name: "lock for the reason of the system",
		Path: "/card/lock", Body: Act(5001, `"lockReasonTypeCode":"PIN"`),
		Want: "Must specify a valid lockReasonTypeCode. Values include UNK, FRD, DMG, ADM, TMP."},
	{Kind: fault.CardAccess, Name: "lock an unknown card",
		Path: "/card/lock", Body: Act(4711, `"lockReasonTypeCode":"TMP"`),
		Want: noAccess + "4711."},
	{Kind: fault.CardAccess, Name: "lock an archived card",
		Path: "/card/lock", Body: Act(5008, `"lockReasonTypeCode":"TMP"`),
		Want: noAccess + "5008."},
	{Kind: fault.LockedBySystem, Name: "lock a card that the system has locked",
		Path: "/card/lock", Body: Act(5002, `"lockReasonTypeCode":"TMP"`),
		Want: "CardId 5002 has been locked by the System and cannot be unlocked by a customer."},
	{Kind: fault.LockedBySystem, Name: "lock a card whose PIN was tried too often",
		Given: pinTriesExceeded, Path: "/card/lock",
		Body: `{"customerId":1001,"cardId":$card,"lockReasonTypeCode":"TMP"}`, Want: bySystem},
	{Kind: fault.LockReasonInvalid, Name: "hotlist for no known reason",
		Path: "/card/hotlist", Body: Act(5001, `"lockReasonTypeCode":"XXX"`),
		Want: "Invalid Card Lock Reason Type Code XXX."},
	{Kind: fault.HotlistReason, Name: "hotlist for a temporary reason",
		Path: "/card/hotlist", Body: Act(5001, `"lockReasonTypeCode":"TMP"`),
		Want: "Must specify a lockReasonTypeCode of FRD, STL, or LST when hotlisting a card."},
	{Kind: fault.CardAccess, Name: "hotlist the card of another customer",
		Path: "/card/hotlist",
		Body: `{"customerId":1010,"cardId":5001,"lockReasonTypeCode":"LST"}`,
		Want: "CustomerId 1010 does not have access to CardId 5001."},
	{Kind: fault.LockedBySystem, Name: "hotlist a card that the system has locked",
		Path: "/card/hotlist", Body: Act(5003, `"lockReasonTypeCode":"STL"`),
		Want: "CardId 5003 has been locked by the System and cannot be unlocked by a customer."},
	{Kind: fault.LockedBySystem, Name: "hotlist a card whose PIN was tried too often",
		Given: pinTriesExceeded, Path: "/card/hotlist",
		Body: `{"customerId":1001,"cardId":$card,"lockReasonTypeCode":"LST"}`, Want: bySystem},
	{Kind: fault.UnlockCardInvalid, Name: "unlock an unknown card",
		Path: "/card/unlock", Body: Act(4711, ""),
		Want: "Invalid CardId 4711 or CustomerId 1001."},
	{Kind: fault.UnlockSystem, Name: "unlock a card that the system has locked",
		Path: "/card/unlock", Body: Act(5002, ""),
		Want: "CardId 5002 has been locked by an Administrator or an automated process."},
	{Kind: fault.UnlockSystem, Name: "unlock a card whose PIN was tried too often",
		Given: pinTriesExceeded, Path: "/card/unlock", Body: `{"customerId":1001,"cardId":$card}`,
		Want: "CardId $card has been locked by an Administrator or an automated process."},
	{Kind: fault.UnlockPermanent, Name: "unlock a hotlisted card",
		Given: after(Verified, "/card/hotlist", `"lockReasonTypeCode":"LST"`),
		Path:  "/card/unlock", Body: `{"customerId":1001,"cardId":$card}`,
		Want: "CardId $card has been marked as lost, stolen, suspected fraudulent. Cannot unlock."},
	{Kind: fault.UnlockPermanent, Name: "unlock a card that the system has marked as lost",
		Path: "/card/unlock", Body: Act(5006, ""),
		Want: "CardId 5006 has been marked as lost, stolen, suspected fraudulent. Cannot unlock."},
	{Kind: fault.UnlockPermanent, Name: "unlock a card whose number is compromised",
		Given: compromised, Path: "/card/unlock", Body: `{"customerId":1001,"cardId":$card}`,
		Want: "CardId $card has been marked as lost, stolen, suspected fraudulent. Cannot unlock."},
	{Kind: fault.ArchiveCardInvalid, Name: "archive an unknown card",
		Path: "/card/archive", Body: Act(4711, ""),
		Want: "Invalid CardId 4711 or CustomerId 1001 is not associated with the card."},
	{Kind: fault.ArchiveStatus, Name: "archive a card that is being made",
		Path: "/card/archive", Body: Act(5007, ""),
		Want: "CardId 5007 is in a status of Initiated and cannot be archived."},
	{Kind: fault.ArchiveStatus, Name: "archive a card twice",
		Path: "/card/archive", Body: Act(5008, ""),
		Want: "CardId 5008 is in a status of Archived and cannot be archived."},
	{Kind: fault.PinRequired, Name: "reset a PIN without a PIN",
		Path: "/card/resetpin", Body: Act(5001, ""),
		Want: "New PIN must be an integer value between 1 and 9999."},
	{Kind: fault.PinRequired, Name: "reset a PIN to what cannot be decrypted",
		Path: "/card/resetpin", Body: Act(5001, `"newPin":"%%%%"`),
		Want: "New PIN must be an integer value between 1 and 9999."},
	{Kind: fault.PinOutOfRange, Name: "reset a PIN to 0000",
		Path: "/card/resetpin", Body: Act(5001, `"newPin":"MDAwMA=="`),
		Want: "New PIN must be an integer value between 1 and 9999."},
	{Kind: fault.PinRequired, Name: "reset a PIN to one encrypted with another key",
		Path: "/card/resetpin", Body: Act(5001, `"newPin":"`+underAnotherKey()+`"`),
		Want: "New PIN must be an integer value between 1 and 9999."},
	{Kind: fault.PinOutOfRange, Name: "reset a PIN to what is no digits",
		Path: "/card/resetpin", Body: Act(5001, `"newPin":"AAAA"`),
		Want: "New PIN must be an integer value between 1 and 9999."},
	{Kind: fault.CardAccess, Name: "reset the PIN of a denied card",
		Path: "/card/resetpin", Body: Act(5005, `"newPin":"MTIzNA=="`),
		Want: noAccess + "5005."},
	{Kind: fault.CardAccess, Name: "reset the PIN of a card that was replaced",
		Given: after(Verified, reissue, `"reissueReasonTypeCode":"LST"`),
		Path:  "/card/resetpin", Body: `{"customerId":1001,"cardId":$card,"newPin":"MTIzNA=="}`,
		Want: noAccess + "$card."},
	{Kind: fault.CardAccess, Name: "reset the PIN of an archived card",
		Path: "/card/resetpin", Body: Act(5008, `"newPin":"MTIzNA=="`),
		Want: noAccess + "5008."},
	{Kind: fault.CardAccess, Name: "reset the PIN of an unknown card",
		Path: "/card/resetpin", Body: Act(4711, `"newPin":"MTIzNA=="`),
		Want: noAccess + "4711."},
}

// underAnotherKey is a PIN encrypted with a key other than the service's.
func underAnotherKey() string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	sealed, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, &key.PublicKey, []byte("1234"), nil)
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(sealed)
}

const reissue = "/card/reissue"

var reissueCases = []Case{
	{Kind: fault.ReissueReason, Name: "reissue for no known reason",
		Path: reissue, Body: Act(5001, `"reissueReasonTypeCode":"TMP"`),
		Want: "Invalid Reissue Reason Type TMP. Must be LST, STL, FRD, or DMG."},
	{Kind: fault.ReissueReason, Name: "reissue without a reason",
		Path: reissue, Body: Act(5001, ""),
		Want: "Invalid Reissue Reason Type . Must be LST, STL, FRD, or DMG."},
	{Kind: fault.ValueNotAcceptable, Name: "reissue with a qualifier that is too long",
		Path: reissue,
		Body: Act(5001, `"reissueReasonTypeCode":"DMG","qualifierCode":"????"`),
		Want: qualifierText},
	{Kind: fault.ReissueCardInvalid, Name: "reissue an unknown card",
		Path: reissue, Body: Act(4711, `"reissueReasonTypeCode":"DMG"`),
		Want: "CardId 4711 is not associated with CustomerId 1001."},
	{Kind: fault.ReissueStatus, Name: "reissue a denied card",
		Path: reissue, Body: Act(5005, `"reissueReasonTypeCode":"LST"`),
		Want: "CardId 5005 status is Denied. Must be Verified, Expired, or PendingVerification."},
	{Kind: fault.LockedBySystem, Name: "reissue a card that the system has locked",
		Path: reissue, Body: Act(5006, `"reissueReasonTypeCode":"LST"`),
		Want: "CardId 5006 has been locked by the System and cannot be unlocked by a customer."},
	{Kind: fault.LockedBySystem, Name: "reissue a card whose number is compromised",
		Given: compromised, Path: reissue,
		Body: `{"customerId":1001,"cardId":$card,"reissueReasonTypeCode":"FRD"}`, Want: bySystem},
	{Kind: fault.ReissueStatus, Name: "reissue a card of which the new one is in use",
		Given: after(Verified, reissue, `"reissueReasonTypeCode":"LST"`),
		Path:  reissue, Body: `{"customerId":1001,"cardId":$card,"reissueReasonTypeCode":"DMG"}`,
		Want: "CardId $card status is Reissued. Must be Verified, Expired, or " +
			"PendingVerification."},
	{Kind: fault.ValueNotAcceptable, Name: "reissue with a PIN that cannot be decrypted",
		Path: reissue, Body: Act(5001, `"reissueReasonTypeCode":"DMG","newPin":"AAAA"`),
		Want: pinText},
}
