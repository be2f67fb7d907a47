package auth

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"io"

	"github.com/pquerna/otp"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
)

// ErrInvitation is returned for a link that is unknown, used or expired.
var ErrInvitation = errors.New("the link is unknown, used or expired")

// Invitation holds the content of the page behind an invitation link.
type Invitation struct {
	Name string
	// CodeSecret is typed into an authenticator app; CodeAddress has the same secret for a QR code.
	CodeSecret, CodeAddress secret.Text
}

// QRCode returns CodeAddress as a QR code, in a PNG image.
func (i Invitation) QRCode() ([]byte, error) {
	const side = 240
	key, err := otp.NewKeyFromURL(i.CodeAddress.Reveal())
	if err != nil {
		return nil, errors.New("the address for the authenticator app is not valid")
	}
	image, err := key.Image(side, side)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = png.Encode(&text, image)
	return text.Bytes(), err
}

// Invitation returns the invitation of a link, or ErrInvitation.
func (o *Operators) Invitation(ctx context.Context, link secret.Text) (Invitation, error) {
	invitation, err := o.invited(ctx, link)
	if err != nil {
		return Invitation{}, err
	}
	return Invitation{
		Name: invitation.person.Name, CodeSecret: invitation.shared,
		CodeAddress: codeAddress(o.issuer, invitation.person.Name, invitation.shared),
	}, nil
}

// invited is a person with an open invitation.
type invited struct {
	person operator.Person
	operator.Invitation
	shared secret.Text // of the one-time codes
}

func (o *Operators) invited(ctx context.Context, link secret.Text) (invited, error) {
	return store.ViewOf(ctx, o.people, func(r store.Tx) (invited, error) {
		return o.findInvited(r, link)
	})
}

func (o *Operators) findInvited(r store.Tx, link secret.Text) (invited, error) {
	invitation, err := r.Operators().FindInvitation(DigestInvitation(o.vault, link.Reveal()))
	if errors.Is(err, store.ErrNotFound) || err == nil && !r.Now().Before(invitation.Expires) {
		return invited{}, ErrInvitation
	}
	if err != nil {
		return invited{}, err
	}
	person, err := r.Operators().Find(invitation.PersonID)
	if err != nil {
		return invited{}, err
	}
	if person.State == operator.Ended {
		return invited{}, ErrInvitation
	}
	shared, err := o.vault.OpenOperatorSecret(invitation.TOTP, person.ID)
	return invited{person, invitation, shared}, err
}

// AcceptRequest holds what a person enters on the page behind a link.
type AcceptRequest struct {
	Link     secret.Text
	Password secret.Text
	Code     string // of the authenticator app, as proof that it has the secret
	From
}

// Accept sets the password and the one-time codes of an invited person, ends the person's sessions
// and invalidates the link. It returns ErrInvitation, a problem.InvalidError for the password, or
// ErrSignIn for a wrong code, which is not counted: the link cannot be guessed.
func (o *Operators) Accept(ctx context.Context, req AcceptRequest) (operator.Identity, error) {
	invitation, err := o.invited(ctx, req.Link)
	if err != nil {
		return operator.Identity{}, err
	}
	var wrong problem.List
	operator.CheckPassword(req.Password.Reveal(), invitation.person.Name, &wrong)
	if err := wrong.Err(); err != nil {
		return operator.Identity{}, err
	}
	now, _, err := o.Now(ctx)
	if err != nil {
		return operator.Identity{}, err
	}
	t := &signInAttempt{From: req.From, known: true, person: invitation.person}
	step, matches := checkCode(invitation.shared, req.Code, 0, now)
	if !matches {
		return operator.Identity{}, o.refuse(ctx, t)
	}
	hash, err := HashPassword(req.Password, false)
	if err != nil {
		return operator.Identity{}, err
	}
	return o.accept(ctx, req, t, operator.Credential{Password: hash, LastStep: step})
}

func (o *Operators) accept(
	ctx context.Context, req AcceptRequest, t *signInAttempt, set operator.Credential,
) (operator.Identity, error) {
	var who operator.Identity
	err := o.people.Update(ctx, func(tx store.Tx) error {
		invitation, err := o.findInvited(tx, req.Link)
		if err != nil {
			return err
		}
		person, credential, now := invitation.person, set, tx.Now()
		credential.PersonID, credential.TOTP = person.ID, invitation.TOTP
		person.State, person.SessionsSince = operator.Active, now
		entry := t.entry(now, "password set")
		entry.Act = "set up sign-in"
		who = person.Identity()
		if err := tx.Operators().Put(&person); err != nil {
			return err
		}
		if err := tx.Operators().PutCredential(credential); err != nil {
			return err
		}
		if err := tx.Operators().DeleteInvitation(person.ID); err != nil {
			return err
		}
		if err := tx.Operators().PutSignIn(person.ID, now); err != nil {
			return err
		}
		return tx.Audit().Put(entry)
	})
	return who, err
}

// NewInvitation stores an invitation link for a person, which replaces any earlier one, and returns
// its text. random is the source of its secrets.
func NewInvitation(
	tx store.Tx, vault Sealer, random io.Reader, personID int,
) (secret.Text, error) {
	link, err := NewText(random, "")
	if err != nil {
		return secret.Text{}, err
	}
	codes, err := NewCodeSecret(random)
	if err != nil {
		return secret.Text{}, err
	}
	sealed, err := vault.SealOperatorSecret(codes, personID)
	if err != nil {
		return secret.Text{}, err
	}
	return link, tx.Operators().PutInvitation(operator.Invitation{
		Digest: DigestInvitation(vault, link.Reveal()), PersonID: personID, TOTP: sealed,
		Expires: tx.Now().Add(operator.InvitationLifetime),
	})
}

// InvitationPath is the console's path for invitation links, without the text of the link.
const InvitationPath = "/console/invitation/"
