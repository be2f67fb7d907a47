package admin

import (
	"context"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/keys"
)

func (d *Desk) keys() *Resource {
	return &Resource{
		Noun: "key", Path: "programs/{id}/keys", Item: "programs/{id}/keys/{name}",
		In: ofProgram, ID: Param{Name: "name", Help: "Name of the key."},
		Help:  "Keys of calling programs: issue, rotate, revoke.",
		Nav:   Nav{"Set-up", "Keys"},
		Empty: "Callers can send requests once the program has a key.",
		Roles: securityRoles,
		Columns: []string{
			"name", "version", "state", "allow", "ratePerSecond", "expires", "lastUsed",
		},
		Fields: []Field{
			{Name: "name", Label: "Name", Required: true, On: Creating,
				Help: "Unique in its program. Metrics, log and audit show the user name of the key."},
			{Name: "version", Label: "Version of the interface", Default: "2", Choices: []Choice{
				{Value: "1", Label: "Version 1", Help: "Includes deprecated fields"},
				{Value: "2", Label: "Version 2", Help: "Recommended"},
			}},
			{Name: "allow", Label: "Allowed addresses", Required: true,
				Help: "An address or a block such as 192.0.2.0/24. 0.0.0.0/0 and ::/0 allow every address."},
			{Name: "ratePerSecond", Label: "Rate limit, requests per second",
				Help: "15 when left out; 0 removes the limit."},
			{Name: "burst", Label: "Burst",
				Help: "Requests at once before the rate limit applies."},
			{Name: "compatibility", Label: "Compatibility", Choices: []Choice{{
				Value: "earlier-clients", Label: "Earlier clients",
				Help: "Answers show both names of an account's priority, and a reissue in its " +
					"own spelling; a card may be ordered without a holder, and the holder may " +
					"have it reissued",
			}}},
			{Name: "expires", Label: "Ends", On: Creating | Changing, Help: "Never when left out."},
			{Name: "state", Label: "State", On: Shown, Help: "active, expiring, expired or revoked"},
			{Name: "previousUntil", Label: "Previous secret expires", On: Shown},
			{Name: "lastUsed", Label: "Last used", On: Shown},
			{Name: "key", Label: "Key (user name)", On: Shown},
			{Name: "secret", Label: "Secret (password)", On: Shown, Secret: true,
				Help: "Shown once. Only a sandbox accepts a chosen one."},
		},
		List: list(Op{
			Summary: "List the keys of a program", Example: "mintmark key list --program 1",
			Filters: []Field{searched},
		}, d.listKeys),
		Show: get(Op{
			Summary: "Read a key", Example: "mintmark key get example1 --program 1",
		}, d.readKey),
		Create: create(Op{
			Summary: "Issue a key; its secret is shown once", FourEyes: true,
			Help: "A calling program sends the member key as its user name and the secret as its " +
				"password.",
			Example: "mintmark key create till --program 1 --allow 192.0.2.0/24 " +
				"--rate-per-second 20 --burst 40",
			Title: "Issue a key", Button: "Issue the key",
			Once: onceKey, OnceHelp: keepKey,
		}, d.issueKey),
		Change: patch(Op{
			Summary: "Change the settings of a key", FourEyes: true,
			Example: "mintmark key update example2 --program 1 --set ratePerSecond=50 " +
				"--set burst=100",
			Button: "Change key {id}",
		}, d.readKey, d.changeKey),
		Acts: []*Op{
			act(Op{
				Name: "rotate", Summary: "Rotate the secret of a key; the new one is shown once",
				FourEyes: true, Help: "--overlap takes any duration; it is 24h when left out.",
				Example: "mintmark key rotate example1 --program 1 --overlap 24h",
				Button:  "Rotate key {id}",
				Effect: "A new secret is made and shown once; it does not expire. Callers of key " +
					"{id} can use the previous one until the overlap ends, or its own end if earlier.",
				Fields: []Field{
					{Name: "overlap", Label: "Overlap", Default: "24h",
						Help: "The previous secret works until then. 24h when left out.", Choices: []Choice{
							{Value: "0s", Label: "Ends at once", Irreversible: true,
								Help: "Callers fail until they have the new one"},
							{Value: "1h", Label: "1 hour"},
							{Value: "24h", Label: "1 day"},
							{Value: "168h", Label: "7 days"},
							{Value: "720h", Label: "30 days"},
						}},
					{Name: "expires", Label: "New secret expires", On: WireOnly},
				},
				Once: onceKey, OnceHelp: keepKey,
			}, d.rotateKey),
			act(Op{
				Name: "revoke", Summary: "Revoke a key permanently", Reason: true, Risky: true,
				Example: `mintmark key revoke limited --program 1 --reason "the program was ` +
					`shut down"`,
				Button: "Revoke key {id} for good",
				Effect: "From now on every request with key {id} is refused. Its secrets can " +
					"never be reinstated, even by loading an older file; the program needs another key.",
			}, d.revokeKey),
		},
	}
}

// The members shown once, on the page after a key is issued or rotated.
var onceKey = []string{"key", "secret"}

const keepKey = "Hand it to the team of the program only. Mintmark keeps a digest; if the secret is " +
	"lost, rotate the key."

func (d *Desk) listKeys(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Key, string, error) {
	return convertAll(keyOf)(d.acts.Keys.Keys(ctx, c.who, c.id("id"), c.query.Get("q"), page))
}

func (d *Desk) readKey(ctx context.Context, c *call) (wire.Key, error) {
	return convert(keyOf)(d.acts.Keys.Key(ctx, c.who, c.id("id"), c.params["name"]))
}

func (d *Desk) issueKey(ctx context.Context, c *call, k wire.NewKey) (wire.Key, error) {
	detail, err := d.acts.Keys.IssueKey(ctx, c.who, c.id("id"), keys.KeySpec{
		Title: k.Name, Version: k.Version, Allow: k.Allow, PerSecond: k.RatePerSecond,
		Burst: k.Burst, Compatibility: k.Compatibility, Expires: timeOf(k.Expires),
		Secret: secret.New(k.Secret),
	})
	return convert(keyOf)(detail, renamed(err, "perSecond", "ratePerSecond"))
}

func (d *Desk) changeKey(ctx context.Context, c *call, after wire.Key) (wire.Key, error) {
	changed, err := d.acts.Keys.ChangeKey(ctx, c.who, c.id("id"), c.revision, keys.KeySpec{
		Title: c.params["name"], Version: after.Version, Allow: after.Allow,
		PerSecond: &after.RatePerSecond, Burst: &after.Burst, Compatibility: after.Compatibility,
		Expires: timeOf(after.Expires),
	})
	return convert(keyOf)(changed, renamed(err, "perSecond", "ratePerSecond"))
}

// defaultOverlap is how long the old secret of a key stays valid by default after a rotation.
const defaultOverlap = 24 * time.Hour

func (d *Desk) rotateKey(ctx context.Context, c *call, r wire.RotateKey) (wire.Key, error) {
	overlap, err := defaultOverlap, error(nil)
	if r.Overlap != "" {
		overlap, err = time.ParseDuration(r.Overlap)
	}
	if err != nil {
		return wire.Key{}, web.Invalid(problem.List{
			{Path: "overlap", Text: "must be a duration such as 24h or 0s"},
		})
	}
	return convert(keyOf)(d.acts.Keys.RotateKey(ctx, c.who, c.id("id"), c.params["name"],
		keys.RotateRequest{Overlap: overlap, Expires: timeOf(r.Expires), Revision: c.revision}))
}

func (d *Desk) revokeKey(ctx context.Context, c *call, _ wire.Reasoned) (wire.Key, error) {
	return convert(keyOf)(
		d.acts.Keys.RevokeKey(ctx, c.who, c.id("id"), c.params["name"], c.revision))
}

// expiringWithin is the time before its end in which a key counts as expiring.
const expiringWithin = 30 * 24 * time.Hour

func keyOf(k keys.KeyDetail) wire.Key {
	shown := wire.Key{
		ID: k.Title(), Revision: k.Revision, ProgramID: k.ProgramID, Name: k.Title(),
		Version: k.Version, RatePerSecond: k.PerSecond, Burst: k.Burst, Key: k.Name,
		LastUsed: moment(k.LastUsed), Expires: moment(k.Newest().Expires),
		State: stateOf(k), Secret: k.NewSecret.Reveal(), Allow: []string{},
	}
	for _, prefix := range k.Allow {
		shown.Allow = append(shown.Allow, apikey.AllowText(prefix))
	}
	for _, habit := range k.Compatibility {
		shown.Compatibility = append(shown.Compatibility, string(habit))
	}
	if len(k.Secrets) == apikey.MaxSecrets && k.Secrets[0].Expires.After(k.Now) {
		shown.PreviousUntil = moment(k.Secrets[0].Expires)
	}
	return shown
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
