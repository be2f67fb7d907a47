package admin

import (
	"context"
	"net/netip"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/keys"
)

func (f *Face) keyRoutes() []route {
	const keys, one = "programs/{id}/keys", "programs/{id}/keys/{name}"
	return []route{
		list(Operation{
			Path: keys, Summary: "List the keys of a program", Roles: securities,
			Query: []Parameter{searched},
		}, f.keys),
		get(Operation{Path: one, Summary: "Read a key", Roles: securities}, f.key),
		fourEyes(create(Operation{
			Path: keys, Summary: "Issue a key, whose secret is shown once", Roles: securities,
		}, f.issueKey)),
		fourEyes(patch(
			Operation{Path: one, Summary: "Change the settings of a key", Roles: securities},
			f.key, f.changeKey)),
		fourEyes(act(Operation{
			Path: one + "/rotate", Summary: "Give a key a new secret, which is shown once",
			Roles: securities,
		}, f.rotateKey)),
		act(Operation{
			Path: one + "/revoke", Summary: "End a key for ever", Roles: securities, Reason: true,
		}, f.revokeKey),
	}
}

// expiringWithin is how long before its end a key counts as expiring.
const expiringWithin = 30 * 24 * time.Hour

func keyOf(k keys.KeyDetail) wire.Key {
	shown := wire.Key{
		ID: k.Title(), Revision: k.Revision, ProgramID: k.ProgramID, Name: k.Title(),
		Version: k.Version, RatePerSecond: k.PerSecond, Burst: k.Burst, Key: k.Name,
		LastUsed: moment(k.LastUsed), Expires: moment(k.Newest().Expires),
		State: stateOf(k), Secret: k.Made.Reveal(), Allow: []string{},
	}
	for _, prefix := range k.Allow {
		shown.Allow = append(shown.Allow, allowText(prefix))
	}
	for _, habit := range k.Compatibility {
		shown.Compatibility = append(shown.Compatibility, string(habit))
	}
	if len(k.Secrets) == apikey.MaxSecrets && k.Secrets[0].Expires.After(k.Now) {
		shown.PreviousUntil = moment(k.Secrets[0].Expires)
	}
	return shown
}

// allowText is an entry of an allow list as an operator writes it.
func allowText(prefix netip.Prefix) string {
	if prefix.IsSingleIP() {
		return prefix.Addr().String()
	}
	return prefix.String()
}

func stateOf(k keys.KeyDetail) string {
	ends := k.Newest().Expires
	switch {
	case !k.Revoked.IsZero():
		return "revoked"
	case ends.IsZero():
		return "active"
	case !ends.After(k.Now):
		return "expired"
	case !ends.After(k.Now.Add(expiringWithin)):
		return "expiring"
	}
	return "active"
}

func (f *Face) keys(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Key, string, error) {
	programID, err := c.number("id")
	if err != nil {
		return nil, "", err
	}
	items, last, err := f.acts.Keys.Keys(ctx, c.who, programID, c.query.Get("q"), page)
	return each(items, last, err, keyOf)
}

func (f *Face) key(ctx context.Context, c *call) (wire.Key, error) {
	programID, err := c.number("id")
	if err != nil {
		return wire.Key{}, err
	}
	return keyAnswer(f.acts.Keys.Key(ctx, c.who, programID, c.params["name"]))
}

func keyAnswer(k keys.KeyDetail, err error) (wire.Key, error) {
	if err != nil {
		return wire.Key{}, renamed(err, "perSecond", "ratePerSecond")
	}
	return keyOf(k), nil
}

func (f *Face) issueKey(ctx context.Context, c *call, asked wire.NewKey) (wire.Key, error) {
	programID, err := c.number("id")
	if err != nil {
		return wire.Key{}, err
	}
	spec := keys.KeySpec{
		Title: asked.Name, Version: asked.Version, Allow: asked.Allow,
		PerSecond: asked.RatePerSecond, Burst: asked.Burst, Compatibility: asked.Compatibility,
		Expires: given(asked.Expires), Secret: secret.New(asked.Secret),
	}
	return keyAnswer(f.acts.Keys.IssueKey(ctx, c.who, programID, spec))
}

// given is a moment that may be left out.
func given(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}

func (f *Face) changeKey(ctx context.Context, c *call, after wire.Key) (wire.Key, error) {
	before, err := f.key(ctx, c)
	if err != nil {
		return wire.Key{}, err
	}
	err = unchanged(before, after, "name", "state", "lastUsed", "previousUntil", "key", "secret")
	if err != nil {
		return wire.Key{}, err
	}
	return keyAnswer(f.acts.Keys.ChangeKey(ctx, c.who, before.ProgramID, c.revision, keys.KeySpec{
		Title: before.Name, Version: after.Version, Allow: after.Allow,
		PerSecond: &after.RatePerSecond, Burst: &after.Burst, Compatibility: after.Compatibility,
		Expires: given(after.Expires),
	}))
}

// usualOverlap is for how long the old secret of a key opens where a rotation does not say.
const usualOverlap = 24 * time.Hour

func (f *Face) rotateKey(ctx context.Context, c *call, asked wire.RotateKey) (wire.Key, error) {
	programID, err := c.number("id")
	if err != nil {
		return wire.Key{}, err
	}
	overlap := usualOverlap
	if asked.Overlap != "" {
		overlap, err = time.ParseDuration(asked.Overlap)
		if err != nil {
			return wire.Key{}, web.Invalid(problem.List{
				{Path: "overlap", Text: "must be a duration such as 24h or 0s"},
			})
		}
	}
	return keyAnswer(f.acts.Keys.RotateKey(ctx, c.who, programID, c.params["name"],
		keys.RotateRequest{
			Overlap: overlap, Expires: given(asked.Expires), Revision: c.revision,
		}))
}

func (f *Face) revokeKey(ctx context.Context, c *call, _ wire.Reasoned) (wire.Key, error) {
	programID, err := c.number("id")
	if err != nil {
		return wire.Key{}, err
	}
	return keyAnswer(f.acts.Keys.RevokeKey(ctx, c.who, programID, c.params["name"], c.revision))
}
