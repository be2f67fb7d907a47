package console

import (
	"context"
	"slices"
	"strconv"
	"strings"

	wire "mintmark/client/admin"
)

func keyRows() []row {
	forms := slices.Concat(
		form("new-key", "keys", "form", showNewKey, issueKey),
		form("keys/{name}/edit", "keys", "form", showKeyForm, changeKey),
		form("keys/{name}/rotate", "keys", "act", showRotate, rotateKey),
		form("keys/{name}/revoke", "keys", "act", showRevoke, revokeKey),
	)
	return append(reserved(forms, "security"), page("keys", "keys", "keys", showKeys),
		page("keys/{name}", "keys", "key", showKey))
}

// keyList is the page of the keys of a program.
type keyList struct {
	Items []keyLine
	Next  string
}

type keyLine struct {
	wire.Key
	Mark mark
	From string
	Rate string
}

func (v *visit) keyLine(k wire.Key) keyLine {
	line := keyLine{Key: k, Mark: v.keyMark(k), Rate: "no limit"}
	if len(k.Allow) > 0 {
		line.From = k.Allow[0]
	}
	if len(k.Allow) > 1 {
		line.From += " and " + strconv.Itoa(len(k.Allow)-1) + " more"
	}
	if k.RatePerSecond > 0 {
		line.Rate = strconv.FormatFloat(k.RatePerSecond, 'f', -1, 64)
	}
	return line
}

// keyMark says when a key ends that ends soon.
func (v *visit) keyMark(k wire.Key) mark {
	found := state("key", k.State)
	if k.State == "expiring" && k.Expires != nil {
		found.Text = "Ends " + v.Ago(*k.Expires)
	}
	return found
}

// ofProgram returns the path of a resource of the program of the page.
func (v *visit) ofProgram(below string) (string, error) {
	if v.Program == nil {
		return "", notFound()
	}
	return "programs/" + itoa(v.Program.ID) + "/" + below, nil
}

// programFlag is how a command names the program of the page.
func (v *visit) programFlag() string {
	if v.Program == nil {
		return ""
	}
	return "--program " + itoa(v.Program.ID)
}

func showKeys(ctx context.Context, v *visit) (keyList, error) {
	path, err := v.ofProgram("keys")
	if err != nil {
		return keyList{}, err
	}
	found, err := wire.Page[wire.Key](ctx, v.api, path, v.filter("q"))
	if err != nil {
		return keyList{}, err
	}
	list := keyList{Next: found.Next}
	for _, k := range found.Items {
		list.Items = append(list.Items, v.keyLine(k))
	}
	v.crumbs("Keys")
	v.command("key list", v.programFlag())
	return list, nil
}

// findKey finds the key that the address names.
func findKey(ctx context.Context, v *visit) (wire.Key, string, error) {
	path, err := v.ofProgram("keys/" + v.param("name"))
	if err != nil {
		return wire.Key{}, "", err
	}
	key, err := wire.Get[wire.Key](ctx, v.api, path)
	return key, path, err
}

type keyPage struct {
	keyLine
	Facts []fact
	Live  bool
}

func showKey(ctx context.Context, v *visit) (keyPage, error) {
	key, _, err := findKey(ctx, v)
	if err != nil {
		return keyPage{}, err
	}
	v.crumbs("Key "+key.Name, "Keys", "keys")
	v.command("key get", key.Name, v.programFlag())
	return keyPage{v.keyLine(key), v.keyFacts(key)[1:], key.State != "revoked"}, nil
}

func (v *visit) keyFacts(k wire.Key) []fact {
	line := v.keyLine(k)
	burst, habits := "", strings.Join(k.Compatibility, ", ")
	if k.RatePerSecond > 0 {
		burst = ", bursts of " + itoa(k.Burst)
	}
	if habits == "" {
		habits = "none"
	}
	return []fact{
		{Name: "State", Mark: &line.Mark},
		{Name: "Program", Text: v.Program.Name, To: v.To("programs/" + itoa(k.ProgramID))},
		{Name: "Version of the interface", Text: itoa(k.Version)},
		{Name: "Requests a second", Text: line.Rate + burst},
		{Name: "Ends", At: v.Maybe(k.Expires), Text: "never"},
		{Name: "The secret before ends", At: v.Maybe(k.PreviousUntil)},
		{Name: "Last used", At: v.Maybe(k.LastUsed), Text: "never"},
		{Name: "Compatibility", Text: habits},
		{Name: "Revision", Text: itoa(k.Revision)},
	}
}

// earlierClients is the one habit that a key can ask for.
const earlierClients = "earlier-clients"

// keyFields asks for what a key may be.
func (v *visit) keyFields(k wire.Key) []*control {
	rate, burst, usual := "", "", "Left empty: 15, as usual. 0: no limit."
	if k.Revision > 0 {
		rate, burst = strconv.FormatFloat(k.RatePerSecond, 'f', -1, 64), itoa(k.Burst)
		usual = "0: no limit."
	}
	return []*control{
		{
			Name: "version", Label: "Version of the interface", Kind: pickField, Required: true,
			Options: choose([]option{
				{Value: "1", Label: "Version 1", Help: "With what is deprecated"},
				{Value: "2", Label: "Version 2", Help: "Without it; for new programs"},
			}, itoa(k.Version)),
		},
		{
			Name: "allow", Label: "Addresses it may be used from", Kind: areaField, Required: true,
			Value: strings.Join(k.Allow, "\n"),
			Help:  "An address or a block such as 192.0.2.0/24, one a line.",
		},
		{
			Name: "ratePerSecond", Label: "Requests a second", Kind: numberField, Value: rate,
			Help: usual,
		},
		{
			Name: "burst", Label: "Requests at once", Kind: numberField, Value: burst,
			Help: "How many may come in one moment before the rate counts.",
		},
		{
			Name: "compatibility", Label: "Compatibility", Kind: checksField,
			Options: choose([]option{{
				Value: earlierClients, Label: "Earlier clients",
				Help: "Answers show both names of an account's priority, and a reissue in its own " +
					"spelling; a holder may be left out, and may have a card reissued",
			}}, k.Compatibility...),
		},
	}
}

func showNewKey(_ context.Context, v *visit) (asking, error) {
	if v.Program == nil {
		return asking{}, notFound()
	}
	v.crumbs("Issue a key", "Keys", "keys")
	v.command("key create NAME", v.programFlag(), "--allow 192.0.2.0/24")
	fields := append([]*control{{
		Name: "name", Label: "Name", Required: true, Kind: textField,
		Help: "Unique in " + v.Program.Name + "; it stands in the audit for whoever uses the key.",
	}}, v.keyFields(wire.Key{Version: 2})...)
	fields = append(fields, &control{
		Name: "expires", Label: "Ends", Kind: momentField,
		Help: "In " + v.Zone.String() + ". Left empty: never.",
	})
	return asking{
		Fields: ask(fields...).refused(v), Once: v.once(), Button: v.asks("Issue the key"),
		Confirm: v.secondOperator(), Back: v.To("keys"), BackText: "Back to the keys",
	}, nil
}

func issueKey(ctx context.Context, v *visit) (outcome, error) {
	path, err := v.ofProgram("keys")
	if err != nil {
		return outcome{}, err
	}
	f := ask(append(v.keyFields(wire.Key{}), &control{Name: "name"}, &control{Name: "expires"})...)
	f.fill(v.form)
	asked := wire.NewKey{
		Name: f.value("name"), Version: pickedNumber(f, "version"), Allow: f.lines("allow"),
		Compatibility: f.chosen("compatibility"), Expires: f.moment("expires", v.Zone),
	}
	if f.value("ratePerSecond") != "" {
		rate := f.rate("ratePerSecond")
		asked.RatePerSecond = &rate
	}
	if f.value("burst") != "" {
		burst := f.number("burst")
		asked.Burst = &burst
	}
	if err := f.problem(); err != nil {
		return outcome{}, err
	}
	made, err := makes[wire.Key](ctx, v, path, asked)
	if err != nil {
		return outcome{}, err
	}
	return v.keySecret(made, "Key "+made.Name+" is issued"), nil
}

// keyPatch is what a form says of a key.
func keyPatch(f *fieldset) properties {
	body := properties{}
	body.set("version", pickedNumber(f, "version"))
	body.set("allow", f.lines("allow"))
	body.set("compatibility", append([]string{}, f.chosen("compatibility")...))
	body.set("ratePerSecond", f.rate("ratePerSecond"))
	body.set("burst", f.number("burst"))
	return body
}

// pickedNumber returns the number that was picked, 0 for none.
func pickedNumber(f *fieldset, name string) int {
	for _, picked := range f.chosen(name) {
		number, err := strconv.Atoi(picked)
		if err == nil {
			return number
		}
	}
	return 0
}

// keySecret shows the secret of a key, this once.
func (v *visit) keySecret(k wire.Key, title string) outcome {
	v.crumbs(title, "Keys", "keys", k.Name, v.Named("keys/", k.Name))
	v.command("key get", k.Name, v.programFlag())
	page := secretPage{
		Back: v.To(v.Named("keys/", k.Name)), BackText: "To the key",
		Told: "Hand it to whoever runs the program, and to nobody else. It is kept here as a " +
			"digest only; when it is lost, rotate the key.",
		Gone: "The secret of key " + k.Name + " was shown in answer to this form. When it is " +
			"lost, rotate the key.",
	}
	if k.Secret != "" {
		page.Secrets = []shownOnce{
			{"key", "Key, what callers send as the user", k.Key, ""},
			{"secret", "Secret, what they send as the password", k.Secret, ""},
		}
	}
	return once("secret", page)
}

func showKeyForm(ctx context.Context, v *visit) (asking, error) {
	key, _, err := findKey(ctx, v)
	if err != nil {
		return asking{}, err
	}
	v.crumbs("Change key "+key.Name, "Keys", "keys", key.Name, "keys/"+v.param("name"))
	v.command("key update", key.Name, v.programFlag(), "--set ratePerSecond=50 --revision",
		itoa(key.Revision))
	note := ""
	if v.Program.FourEyes {
		note = "Changing the addresses needs a second operator, because four eyes is on for " +
			v.Program.Name + "."
	}
	return asking{
		Fields: ask(v.keyFields(key)...).refused(v), Revision: key.Revision, Confirm: note,
		Button: "Change key " + key.Name, Back: v.To("keys/" + v.param("name")),
		BackText: "Back to the key",
	}, nil
}

func changeKey(ctx context.Context, v *visit) (outcome, error) {
	path, err := v.ofProgram("keys/" + v.param("name"))
	if err != nil {
		return outcome{}, err
	}
	f := ask(v.keyFields(wire.Key{})...).fill(v.form)
	body := keyPatch(f)
	if err := f.problem(); err != nil {
		return outcome{}, err
	}
	_, err = amends[wire.Key](ctx, v, path, body)
	return lead(v.To("keys/" + v.param("name"))), err
}

// overlaps are how long the old secret of a key may go on beside the new one.
var overlaps = []option{
	{Value: "0s", Label: "Ends at once", Help: "Callers fail until they have the new one",
		Ends: true},
	{Value: "1h", Label: "1 hour"},
	{Value: "24h", Label: "1 day"},
	{Value: "168h", Label: "7 days"},
	{Value: "720h", Label: "30 days"},
}

func showRotate(ctx context.Context, v *visit) (act, error) {
	key, _, err := findKey(ctx, v)
	if err != nil {
		return act{}, err
	}
	title := "Rotate key " + key.Name
	v.crumbs(title, "Keys", "keys", key.Name, "keys/"+v.param("name"))
	v.command("key rotate", key.Name, v.programFlag(), "--overlap 24h")
	return act{
		asking: asking{
			Fields: ask(&control{
				Name: "overlap", Label: "How long the old secret goes on", Kind: pickField,
				Required: true, Options: choose(overlaps, "24h"),
			}, reasonField("Why now, and who was told.")).refused(v),
			Facts: v.keyFacts(key), Revision: key.Revision, Once: v.once(),
			Button: v.asks(title), Confirm: v.secondOperator(),
			Back: v.To("keys/" + v.param("name")), BackText: "Back to the key",
		},
		Effect: "A new secret is made and shown once. Callers that present key " + key.Name +
			" go on with the old one until it ends.",
	}, nil
}

func rotateKey(ctx context.Context, v *visit) (outcome, error) {
	path, err := v.ofProgram("keys/" + v.param("name") + "/rotate")
	if err != nil {
		return outcome{}, err
	}
	made, err := makes[wire.Key](ctx, v, path, wire.RotateKey{Overlap: v.typed("overlap")})
	if err != nil {
		return outcome{}, err
	}
	return v.keySecret(made, "Key "+made.Name+" has a new secret"), nil
}

func showRevoke(ctx context.Context, v *visit) (act, error) {
	key, _, err := findKey(ctx, v)
	if err != nil {
		return act{}, err
	}
	title := "Revoke key " + key.Name + " for good"
	v.crumbs(title, "Keys", "keys", key.Name, "keys/"+v.param("name"))
	v.command("key revoke", key.Name, v.programFlag(), `--reason "…"`)
	return act{
		asking: asking{
			Fields:  ask(reasonField("What happened, and who said so.")).refused(v),
			Confirm: nobodyElse,
			Facts:   v.keyFacts(key), Revision: key.Revision, Button: title,
			Back:     v.To("keys/" + v.param("name")),
			BackText: "Back to the key",
		},
		Risky: true,
		Effect: "From now on every request with key " + key.Name + " is refused. Its secrets " +
			"never live again, whatever file is loaded; the program needs another key.",
	}, nil
}

func revokeKey(ctx context.Context, v *visit) (outcome, error) {
	path, err := v.ofProgram("keys/" + v.param("name") + "/revoke")
	if err != nil {
		return outcome{}, err
	}
	_, err = does[wire.Key](ctx, v, path, reasoned)
	return lead(v.To("keys/" + v.param("name"))), err
}
