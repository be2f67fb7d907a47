package api

import (
	"slices"

	"mintmark/internal/domain/fault"
)

// The faults that each operation may return, besides those of every request (interface §8).
var (
	customerFaults = []fault.Kind{
		fault.CustomerInvalid, fault.CustomerInactive, fault.CustomerDeceased,
		fault.CustomerLocked, fault.CustomerNotVerified,
	}

	createFaults = with(customerFaults,
		fault.NamesRequired, fault.FirstNameCharacters, fault.MiddleNameCharacters,
		fault.LastNameCharacters, fault.NameOnCardRequired, fault.VendorTypeCodeInvalid,
		fault.TypeCodeInvalid, fault.ValueNotAcceptable, fault.HolderInvalid, fault.HolderStatus,
		fault.HolderAccessType, fault.PhoneRequired, fault.AddressRequired,
		fault.PrimaryAccountRequired, fault.PrimaryAccountInvalid, fault.AccountAccess,
		fault.PrimaryAccountType, fault.PrimaryAccountStatus, fault.BinMissing, fault.BinInvalid,
		fault.PciKeyMissing, fault.TagTaken, fault.NickNameTaken, fault.NumbersUsedUp)

	verifyFaults = with(customerFaults,
		fault.ValueNotAcceptable, fault.CardAccess, fault.VerifyCardInvalid, fault.VerifyStatus,
		fault.VerifyMismatch)

	lockFaults = with(customerFaults,
		fault.UseHotlist, fault.LockReasonInvalid, fault.LockReasonRequired, fault.CardAccess,
		fault.LockedBySystem)

	hotlistFaults = with(customerFaults,
		fault.LockReasonInvalid, fault.HotlistReason, fault.CardAccess, fault.LockedBySystem)

	unlockFaults = with(customerFaults,
		fault.CardAccess, fault.UnlockCardInvalid, fault.UnlockPermanent, fault.UnlockSystem)

	archiveFaults = with(customerFaults,
		fault.CardAccess, fault.ArchiveCardInvalid, fault.ArchiveStatus)

	reissueFaults = with(customerFaults,
		fault.ReissueReason, fault.ValueNotAcceptable, fault.CardAccess,
		fault.ReissueCardInvalid, fault.ReissueStatus, fault.LockedBySystem, fault.BinMissing, fault.PciKeyMissing,
		fault.NumbersUsedUp)

	addAccountFaults = with(customerFaults,
		fault.AddAccountCardInvalid, fault.CardAccess, fault.AddAccountLocked,
		fault.ValueNotAcceptable, fault.AccountAccess, fault.AddAccountType,
		fault.AddAccountStatus, fault.AddAccountTied, fault.AddAccountFull,
		fault.AddAccountPriority)

	removeAccountFaults = with(customerFaults,
		fault.RemoveAccountCardInvalid, fault.CardAccess, fault.ValueNotAcceptable,
		fault.AccountAccess,
		fault.RemoveAccountPrimary)

	reprioritizeFaults = with(customerFaults,
		fault.ReprioritizeCardInvalid, fault.CardAccess, fault.ValueNotAcceptable,
		fault.ReprioritizePriority)

	resetPinFaults = with(customerFaults,
		fault.PinRequired, fault.PinOutOfRange, fault.CardAccess, fault.PciKeyMissing)

	documentFaults = []fault.Kind{
		fault.DownloadPartMissing, fault.DocumentInvalid, fault.DocumentUnknown,
		fault.DocumentMisconfigured,
	}
)

// with returns kinds followed by more.
func with(kinds []fault.Kind, more ...fault.Kind) []fault.Kind {
	return slices.Concat(kinds, more)
}
