package admin

import (
	"cmp"
	"context"
	"encoding/json"

	wire "mintmark/client/admin"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/transfers"
)

func (d *Desk) authorizations() *Resource {
	return &Resource{
		Noun: "authorization", Path: "authorizations", Item: "authorizations/{id}",
		ID:    Param{Name: "id", Help: "Identifier that the card processor has chosen."},
		Help:  "Authorizations: what was asked, decided, and why.",
		Nav:   Nav{"Issuing", "Declines"},
		Empty: "The card processor asks for an authorization whenever a card is used.",
		Roles: support,
		Columns: []string{
			"id", "outcome", "why", "decided", "cardId", "amount", "currency",
			"merchant",
		},
		Fields: []Field{
			{Name: "why", Label: "Why", On: Shown, Help: "A sentence with the numbers that decided."},
			{Name: "outcome", Label: "Outcome", On: Shown, Choices: outcomes},
			{Name: "decided", Label: "Decided", On: Shown},
			{Name: "decidedBy", Label: "Decided by", On: Shown, Choices: []Choice{
				{Value: ours, Label: "Mintmark"},
				{Value: string(authorization.StandIn), Label: "The card processor alone"},
				{Value: string(authorization.Network), Label: "The card network alone"},
			}},
			{Name: "kind", Label: "Kind", On: Shown},
			{Name: "amount", Label: "Amount", On: Shown},
			{Name: "approvedAmount", Label: "Approved amount", On: Shown},
			{Name: "currency", Label: "Currency", On: Shown},
			{Name: "original", Label: "Amount that the holder saw", On: Shown},
			{Name: "merchant", Label: "Merchant", On: Shown},
			{Name: "cardId", Label: "Card", On: Shown},
			{Name: "customerId", Label: "Creator of the card", On: Shown},
			{Name: "category", Label: "Category of account", On: Shown},
			{Name: "accountId", Label: "Account that pays", On: Shown},
			{Name: "holdId", Label: "Hold", On: Shown},
			{Name: "reversed", Label: "Reversed", On: Shown},
			{Name: "partial", Label: "Allow partial approval", On: Shown},
			{Name: "incrementOf", Label: "Increment of", On: Shown},
			{Name: "holdUntil", Label: "Hold until", On: Shown},
			{Name: "reason", Label: "Reason", On: Shown, Help: "That of the answer, such as limit."},
			{Name: "wouldHave", Label: "Reason here", On: Shown,
				Help: "If decided elsewhere: the reason that Mintmark would have given."},
			{Name: "at", Label: "At, by the processor", On: Shown},
			{Name: "obstacle", Label: "Obstacle", On: WireOnly | Shown,
				Help: "The state that declined it before any amount counted, at that moment."},
			{Name: "limit", Label: "Limit", On: WireOnly | Shown,
				Help: "The limit that did not allow the amount, with the sum that it was compared with."},
			{Name: "tried", Label: "Accounts tried", On: WireOnly | Shown,
				Help: "With status and available balance at that moment."},
			{Name: "hold", Label: "Hold", On: WireOnly | Shown},
			{Name: "id", Label: "Identifier", On: Shown},
		},
		List: list(Op{
			Summary: "List authorizations, the newest first",
			Help: "With q, a page searches at most 2,000 rows that match the other filters and " +
				"may be short: `next` continues after them.",
			Example: "mintmark authorization list --card 5001 --outcome declined",
			Filters: append([]Field{
				{Name: "programId", Label: "Program", Help: "Of a program"},
				{Name: "cardId", Label: "Card", Help: "Of a card"},
				{Name: "customerId", Label: "Customer",
					Help: "Of the cards that a customer has created or holds"},
				{Name: "outcome", Label: "Outcome", Help: "approved or declined", Choices: outcomes},
				{Name: "reason", Label: "Reason", Help: "Such as limit", Choices: reasons()},
				{Name: "q", Label: "Merchant", Help: "A part of the merchant's name"},
			}, spanned...),
		}, d.listAuthorizations),
		Show: get(Op{
			Summary: "Read an authorization", Example: "mintmark authorization get AUTHORIZATION",
		}, d.readAuthorization),
	}
}

// ours is the value of decidedBy for Mintmark's own decisions.
const ours = "mintmark"

var outcomes = []Choice{
	{Value: authorization.Decisions[1], Label: "Declined"},
	{Value: authorization.Decisions[0], Label: "Approved"},
}

// reasons returns the reasons for a decline.
func reasons() []Choice {
	var all []Choice
	for _, reason := range authorization.Reasons {
		if reason != authorization.Approved {
			all = append(all, Choice{Value: string(reason), Label: reasonLabels[reason]})
		}
	}
	return all
}

var reasonLabels = map[authorization.Reason]string{
	authorization.Reversed: "A reversal came first", authorization.UnknownCard: "Unknown card",
	authorization.CardStatus: "Card not verified", authorization.Locked: "Card locked",
	authorization.Expired: "Card expired", authorization.Customer: "Customer cannot pay",
	authorization.OtherCurrency: "Another currency", authorization.OverLimit: "Over a limit",
	authorization.NoAccount:         "No account fits",
	authorization.InsufficientFunds: "Insufficient funds",
}

func (d *Desk) listAuthorizations(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Authorization, string, error) {
	return convertAll(showAuthorization)(
		d.acts.Transfers.ListAuthorizations(ctx, c.who, transfers.AuthorizationFilter{
			ProgramID: c.number("programId"), CardID: c.number("cardId"),
			CustomerID: c.number("customerId"), Outcome: c.query.Get("outcome"),
			Reason: c.query.Get("reason"), Merchant: c.query.Get("q"), Span: c.span(),
		}, page))
}

func (d *Desk) readAuthorization(
	ctx context.Context, c *call,
) (wire.AuthorizationDetail, error) {
	return convert(showAuthorizationDetail)(
		d.acts.Transfers.ReadAuthorization(ctx, c.who, c.params["id"]))
}

func (d *Desk) holds() *Resource {
	return &Resource{
		Noun: "hold", Path: "holds", Item: "holds/{id}",
		ID:      Param{Name: "id", Help: "Identifier of the hold."},
		Help:    "Funds reserved by authorizations.",
		Nav:     Nav{"Issuing", "Holds"},
		Empty:   "An approved authorization holds its amount until it is posted, released or expires.",
		Roles:   support,
		Columns: []string{"id", "state", "amount", "cardId", "accountId", "merchant", "placed", "ends"},
		Fields: []Field{
			{Name: "state", Label: "State", On: Shown, Help: "open, posted, released or expired"},
			{Name: "amount", Label: "Amount", On: Shown, Help: "Left out when the hold has ended."},
			{Name: "currency", Label: "Currency", On: Shown},
			{Name: "kind", Label: "Kind", On: Shown},
			{Name: "merchant", Label: "Merchant", On: Shown},
			{Name: "cardId", Label: "Card", On: Shown},
			{Name: "accountId", Label: "Account", On: Shown},
			{Name: "authorizationId", Label: "Authorization", On: Shown},
			{Name: "placed", Label: "Placed", On: Shown},
			{Name: "ends", Label: "Expires", On: Shown},
			{Name: "ended", Label: "Ended", On: Shown},
			{Name: "id", Label: "Identifier", On: Shown},
		},
		List: list(Op{
			Summary: "List open holds, those that expire last first",
			Example: "mintmark hold list --card 5001",
			Filters: []Field{
				{Name: "programId", Label: "Program", Help: "Of a program"},
				{Name: "cardId", Label: "Card", Help: "Of a card"},
				{Name: "accountId", Label: "Account", Help: "On an account"},
			},
		}, d.listHolds),
		Show: get(Op{Summary: "Read a hold", Example: "mintmark hold get HOLD"}, d.readHold),
		Acts: []*Op{
			act(Op{
				Name: "release", Summary: "Release a hold", Reason: true, FourEyes: true,
				Example: `mintmark hold release HOLD --reason "the hotel has confirmed"`,
				Button:  "Release hold {id}",
				Effect: "The available balance rises by the amount. A posting of the card processor " +
					"that comes later is booked all the same.",
			}, d.releaseHold),
		},
	}
}

func (d *Desk) listHolds(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.HoldDetail, string, error) {
	return convertAll(showHold)(d.acts.Transfers.ListHolds(ctx, c.who, transfers.HoldFilter{
		ProgramID: c.number("programId"), CardID: c.number("cardId"),
		AccountID: c.number("accountId"),
	}, page))
}

func (d *Desk) readHold(ctx context.Context, c *call) (wire.HoldDetail, error) {
	return convert(showHold)(d.acts.Transfers.FindHold(ctx, c.who, c.params["id"]))
}

func (d *Desk) releaseHold(
	ctx context.Context, c *call, _ wire.PlainAct,
) (wire.HoldDetail, error) {
	return convert(showHold)(d.acts.Transfers.ReleaseHold(ctx, c.who, c.params["id"]))
}

func showAuthorizationDetail(s transfers.AuthorizationSheet) wire.AuthorizationDetail {
	shown := wire.AuthorizationDetail{Authorization: showAuthorization(s)}
	if s.Hold != nil {
		hold := showHold(*s.Hold)
		shown.HoldID, shown.Hold = s.Hold.ID, &hold
	}
	return shown
}

func showAuthorization(s transfers.AuthorizationSheet) wire.Authorization {
	a := s.Authorization
	money := func(a value.Amount) json.Number { return exact(a, s.Decimals) }
	shown := wire.Authorization{
		ID: a.ID, ProgramID: a.ProgramID, CardID: a.CardID, CustomerID: a.CustomerID,
		Kind: string(a.Kind), Category: string(a.Category), Amount: money(a.Transfer.Amount),
		Currency: a.Currency, Merchant: (*wire.Merchant)(a.Merchant), Partial: a.Partial,
		HoldUntil: a.HoldUntil, IncrementOf: a.IncrementOf, At: moment(a.At),
		Outcome: a.Outcome(), DecidedBy: cmp.Or(string(a.Advice.By), ours), Decided: a.Decided,
		Reason: string(a.Reason), WouldHave: string(a.Advice.WouldHave), Why: a.Sentence(s.Decimals),
		AccountID: a.AccountID,
	}
	if approved := a.ApprovedAmount(); approved.TenThousandths > 0 {
		shown.ApprovedAmount = money(approved)
	}
	if a.AccountID != 0 && a.Outcome() == authorization.Decisions[0] {
		shown.HoldID = a.HoldID()
	}
	if back := a.ReversedAmount(); back.TenThousandths > 0 {
		shown.Reversed = money(back)
	}
	if o := a.Original; o != nil {
		shown.Original = &wire.Original{Amount: exact(o.Amount, 0), Currency: o.Currency}
	}
	if o := a.Obstacle; o != nil {
		shown.Obstacle = &wire.Obstacle{
			CardStatus: string(o.CardStatus), LockTypeCode: string(o.LockType),
			LockReasonTypeCode: string(o.LockReason), LastMonth: o.LastMonth,
			CustomerID: o.CustomerID, Customer: o.Customer, Currency: o.Currency,
		}
	}
	if l := a.Limit; l != nil {
		shown.Limit = &wire.ExceededLimit{Name: l.Name, Sum: money(l.Sum)}
		if l.Least != nil {
			shown.Limit.MinimumAmount = money(*l.Least)
		}
		if l.Most != nil {
			shown.Limit.MaximumAmount = money(*l.Most)
		}
	}
	for _, t := range a.Tried {
		shown.Tried = append(shown.Tried, wire.Tried{
			AccountID: t.AccountID, Status: string(t.Status), AvailableBalance: money(t.Available),
		})
	}
	return shown
}

func showHold(h transfers.HoldSheet) wire.HoldDetail {
	shown := wire.HoldDetail{
		ID: h.ID, ProgramID: h.ProgramID, CardID: h.CardID, AccountID: h.AccountID,
		AuthorizationID: h.AuthorizationID, Kind: string(h.Kind),
		State: cmp.Or(string(h.End), "open"), Currency: h.Currency,
		Merchant: (*wire.Merchant)(h.Merchant), Placed: moment(h.Placed), Ends: moment(h.Ends),
		Ended: moment(h.Ended),
	}
	if h.Amount.TenThousandths > 0 {
		shown.Amount = exact(h.Amount, h.Decimals)
	}
	return shown
}

// exact returns an amount with all of its digits, at least as many as its program has.
func exact(a value.Amount, decimals int) json.Number {
	return amount(a, max(decimals, a.Digits()))
}
