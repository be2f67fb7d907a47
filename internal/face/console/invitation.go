package console

import (
	"context"
	"errors"
	"net/http"

	wire "mintmark/client/admin"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/secret"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing/auth"
)

// invitationData is the page that an invitation link opens. A new operator sets password and second
// factor there.
type invitationData struct {
	Name       string
	CodeSecret string // to type into an authenticator app that cannot scan the image
	Image      string // address of the QR code
}

// invitation shows the page of an invitation link.
func (c *Console) invitation(ctx context.Context, v *visit) (web.Response, error) {
	return c.invitationPage(ctx, v, http.StatusOK, nil)
}

func (c *Console) invitationPage(
	ctx context.Context, v *visit, status int, p *wire.Problem,
) (web.Response, error) {
	invitation, err := c.Operators.Invitation(ctx, secret.New(v.params["link"]))
	if errors.Is(err, auth.ErrInvitation) {
		return web.Response{}, unknownLink()
	}
	if err != nil {
		return web.Response{}, err
	}
	return c.renderBare(status, "invitation", bare{
		Title: "Set up your sign-in", Problem: p, Data: invitationData{
			Name: invitation.Name, CodeSecret: invitation.CodeSecret.Reveal(),
			Image: v.exchange.Request.URL.EscapedPath() + "/code.png",
		},
	})
}

func unknownLink() *wire.Problem {
	return &wire.Problem{
		Type: "/problems/" + wire.NotFound, Title: "Not found", Status: http.StatusNotFound,
		Detail: "This link was used, has expired, or is not valid. An operator with the role " +
			"security creates another.",
	}
}

// accept stores password and second factor, and signs the operator in.
func (c *Console) accept(ctx context.Context, v *visit) (web.Response, error) {
	who, err := c.Operators.Accept(ctx, auth.AcceptRequest{
		Link: secret.New(v.params["link"]), Password: secret.New(v.form.Get("password")),
		Code: v.typed("code"), From: v.from(),
	})
	invalid := (*problem.InvalidError)(nil)
	switch {
	case errors.As(err, &invalid):
		p := &wire.Problem{Title: "Check the form"}
		for _, wrong := range invalid.Problems {
			p.Errors = append(p.Errors, wire.MemberError{Pointer: "/password", Detail: wrong.Text})
		}
		return c.invitationPage(ctx, v, http.StatusUnprocessableEntity, p)
	case errors.Is(err, auth.ErrInvitation):
		return web.Response{}, unknownLink()
	}
	if status, p := refusedSignIn(v, err); p != nil {
		if status == http.StatusUnauthorized {
			p.Title, p.Detail = "The code is wrong", "Enter the code that your device shows now."
		}
		return c.invitationPage(ctx, v, status, p)
	}
	if err != nil {
		return web.Response{}, err
	}
	return v.redirect(Prefix), v.begin(ctx, who)
}

// codeImage returns the secret of the one-time codes as a QR code.
func (c *Console) codeImage(ctx context.Context, v *visit) (web.Response, error) {
	invitation, err := c.Operators.Invitation(ctx, secret.New(v.params["link"]))
	if errors.Is(err, auth.ErrInvitation) {
		return web.Response{}, unknownLink()
	}
	if err != nil {
		return web.Response{}, err
	}
	picture, err := invitation.QRCode()
	return web.Response{Status: http.StatusOK, ContentType: "image/png", Body: picture}, err
}
