package processorapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing/transfers"
)

// authorizationAnswer answers an authorization.
type authorizationAnswer struct {
	AuthorizationID string               `json:"authorizationId"`
	Approved        bool                 `json:"approved"`
	Reason          authorization.Reason `json:"reason"`
	Amount          *value.Amount        `json:"amount,omitempty"` // may be less than requested
	AccountID       int                  `json:"accountId,omitempty"`
	HoldID          string               `json:"holdId,omitempty"`
}

func (a authorizationAnswer) notes() []slog.Attr {
	return []slog.Attr{slog.String("reason", string(a.Reason))}
}

// postingAnswer answers a posting.
type postingAnswer struct {
	PostingID string            `json:"postingId"`
	Result    authorization.End `json:"result"`
	AccountID int               `json:"accountId"`
	HoldID    string            `json:"holdId,omitempty"`
}

func (a postingAnswer) notes() []slog.Attr {
	return []slog.Attr{slog.String("result", string(a.Result))}
}

// releaseAnswer answers a release.
type releaseAnswer struct {
	HoldID string            `json:"holdId"`
	Result authorization.End `json:"result"`
}

func (a releaseAnswer) notes() []slog.Attr {
	return []slog.Attr{slog.String("result", string(a.Result))}
}

// reads returns a function that parses a body of one object.
func reads[Q any](read func(*strictjson.Object) Q) func(body []byte) (Q, problem.List) {
	return func(body []byte) (query Q, wrong problem.List) {
		wrong = strictjson.Read(body, func(o *strictjson.Object) { query = read(o) })
		return query, wrong
	}
}

func (f *Face) authorize(
	ctx context.Context, who from, a authorization.Request,
) (authorizationAnswer, error) {
	authorized, err := f.transfers.Authorize(ctx, who, a)
	if err != nil {
		return authorizationAnswer{}, transferProblem(err)
	}
	answer := authorizationAnswer{
		AuthorizationID: authorized.ID, Approved: authorized.Approved(), Reason: authorized.Reason,
		AccountID: authorized.AccountID, HoldID: authorized.HoldID,
	}
	if a.Partial && authorized.Approved() {
		amount := authorized.Amount.Fixed(authorized.Amount.Digits())
		answer.Amount = &amount
	}
	return answer, nil
}

// adviceAnswer answers an advice.
type adviceAnswer struct {
	AuthorizationID string               `json:"authorizationId"`
	Result          string               `json:"result"`
	AccountID       int                  `json:"accountId,omitempty"`
	HoldID          string               `json:"holdId,omitempty"`
	WouldHave       authorization.Reason `json:"wouldHave"`
}

func (a adviceAnswer) notes() []slog.Attr {
	return []slog.Attr{slog.String("wouldHave", string(a.WouldHave))}
}

func (f *Face) advise(
	ctx context.Context, who from, a authorization.AdviceRequest,
) (adviceAnswer, error) {
	advice, err := f.transfers.Advise(ctx, who, a)
	if err != nil {
		return adviceAnswer{}, transferProblem(err)
	}
	return adviceAnswer{advice.ID, "booked", advice.AccountID, advice.HoldID, advice.WouldHave}, nil
}

// reversalAnswer answers a reversal.
type reversalAnswer struct {
	ReversalID string                       `json:"reversalId"`
	Result     authorization.ReversalResult `json:"result"`
}

func (a reversalAnswer) notes() []slog.Attr {
	return []slog.Attr{slog.String("result", string(a.Result))}
}

func (f *Face) reverse(
	ctx context.Context, who from, taking authorization.ReversalRequest,
) (reversalAnswer, error) {
	r, err := f.transfers.Reverse(ctx, who, taking)
	if err != nil {
		return reversalAnswer{}, transferProblem(err)
	}
	return reversalAnswer{r.ID, r.Result}, nil
}

func (f *Face) post(
	ctx context.Context, who from, m authorization.PostingRequest,
) (postingAnswer, error) {
	posting, err := f.transfers.Post(ctx, who, m)
	if err != nil {
		return postingAnswer{}, transferProblem(err)
	}
	return postingAnswer{posting.ID, authorization.Posted, posting.AccountID, posting.HoldID}, nil
}

func (f *Face) release(
	ctx context.Context, who from, ending authorization.ReleaseRequest,
) (releaseAnswer, error) {
	end, err := f.transfers.Release(ctx, who, ending.HoldID)
	if err != nil {
		return releaseAnswer{}, transferProblem(err)
	}
	return releaseAnswer{ending.HoldID, end}, nil
}

// transferProblem returns the problem for a failed transfer.
func transferProblem(err error) error {
	var wrong *transfers.TransferError
	if !errors.As(err, &wrong) {
		return err
	}
	switch {
	case wrong.Member != "":
		return web.Invalid(problem.List{{Path: wrong.Member, Text: wrong.Detail}})
	case wrong.Missing:
		missing := web.NotFound()
		missing.Detail = wrong.Detail
		return missing
	}
	return web.Conflict(wrong.Detail)
}

// keys answers with the key set for encrypting card numbers. It needs no signature.
func (f *Face) keys(context.Context, *web.Exchange, []byte) (web.Response, error) {
	set, err := f.transfers.ProcessorKeySet()
	if err != nil {
		return web.Response{}, err
	}
	return web.Response{
		Status: http.StatusOK, ContentType: "application/jwk-set+json", Body: set,
	}, nil
}
