package cli

import (
	"context"
	"io"
	"net/url"
	"os"
	"strings"

	"golang.org/x/term"

	"mintmark/client/admin"
	"mintmark/internal/base/prompt"
)

// cardCommands are the commands on cards.
type cardCommands struct {
	List    cardList    `cmd:"" help:"List cards."`
	Search  cardSearch  `cmd:"" help:"Find a card by its whole number, which is read from standard input."`
	Get     cardGet     `cmd:"" help:"Print a card: lock, accounts, holds, open orders, possible acts."`
	History cardHistory `cmd:"" help:"List what has happened to a card, newest first."`
	Lock    cardLock    `cmd:"" help:"Lock a card."`
	Unlock  cardUnlock  `cmd:"" help:"Clear the lock of a card."`
	Reissue cardReissue `cmd:"" help:"Replace a card."`
	Archive cardArchive `cmd:"" help:"Put a card out of sight."`
}

var cardColumns = columns[admin.Card]("id", "programId", "customerId", "holderName",
	"numberMasked", "status", "lockTypeCode", "lockReasonTypeCode", "tag")

// cardList lists cards.
type cardList struct {
	Listing
	Program  int    `placeholder:"ID" help:"Of a program." group:"Filter"`
	Customer int    `placeholder:"ID" help:"Of a customer." group:"Filter"`
	Status   string `placeholder:"STATUS" help:"With a status, such as Verified." group:"Filter"`
	Lock     string `placeholder:"CODE" help:"With a lock of a type, such as SYS." group:"Filter"`
	Tag      string `placeholder:"TAG" help:"With a tag." group:"Filter"`
	LastFour string `placeholder:"DIGITS" help:"With these last digits of the number." group:"Filter"`
	Q        string `name:"q" placeholder:"TEXT" help:"With a text in what a person would search by." group:"Filter"`
}

func (cardList) Help() string {
	return "mintmark card list --program 1 --status Verified --limit 25"
}

func (c cardList) Run(ctx context.Context, t Terminal) error {
	return c.list(ctx, t, "cards", query("programId", c.Program, "customerId", c.Customer,
		"status", c.Status, "lock", c.Lock, "tag", c.Tag, "lastFour", c.LastFour, "q", c.Q),
		cardColumns)
}

// cardSearch finds cards by their number.
type cardSearch struct{ Remote }

func (cardSearch) Help() string {
	return "A terminal does not show what is typed. The number is never an argument: other users " +
		"of the machine see those.\n\n" +
		"echo 4111 1111 1111 1111 | mintmark card search"
}

func (c cardSearch) Run(ctx context.Context, t Terminal) error {
	number, err := readNumber(ctx, t)
	if err != nil {
		return err
	}
	client, err := c.client()
	if err != nil {
		return err
	}
	found, err := client.Send(ctx, admin.Request{
		Method: "POST", Path: "cards/search", Body: body{"number": number},
	})
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return printRaw(t.Out, found.Body)
	}
	return c.printItems(t, found.Body, cardColumns)
}

// readNumber reads a card number, without spaces and hyphens.
func readNumber(ctx context.Context, t Terminal) (string, error) {
	const longest = 64
	var typed []byte
	var err error
	if file, isFile := t.In.(*os.File); isFile && term.IsTerminal(int(file.Fd())) {
		typed, err = prompt.Hidden(ctx, file, t.Err, "Card number: ")
	} else {
		typed, err = io.ReadAll(io.LimitReader(t.In, longest))
	}
	if err != nil {
		return "", misunderstood("the card number cannot be read: %w", err)
	}
	number := strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(string(typed)))
	const leastDigits, mostDigits = 13, 19
	if len(number) < leastDigits || len(number) > mostDigits ||
		strings.Trim(number, "0123456789") != "" {
		return "", misunderstood("a card number of 13 to 19 digits is needed on standard input")
	}
	return number, nil
}

// cardGet prints a card.
type cardGet struct {
	Remote
	ID int `arg:"" help:"Number of the card."`
}

func (cardGet) Help() string { return "mintmark card get 5001" }

func (c cardGet) Run(ctx context.Context, t Terminal) error {
	return c.get(ctx, t, path("cards", c.ID))
}

// cardHistory lists what has happened to a card.
type cardHistory struct {
	Listing
	ID int `arg:"" help:"Number of the card."`
}

func (cardHistory) Help() string { return "mintmark card history 5001" }

func (c cardHistory) Run(ctx context.Context, t Terminal) error {
	return c.list(ctx, t, path("cards", c.ID, "history"), url.Values{}, entryColumns)
}

// cardLock locks a card.
type cardLock struct {
	Change
	ID         int    `arg:"" help:"Number of the card."`
	ReasonCode string `required:"" enum:"ADM,PIN,FRD,LST,STL" help:"Why it is locked: ${enum}. LST and STL are for ever."`
}

func (cardLock) Help() string {
	return `mintmark card lock 5001 --reason-code ADM --reason "asked by the branch"`
}

func (c cardLock) Run(ctx context.Context, t Terminal) error {
	return c.act(ctx, t, path("cards", c.ID, "lock"), body{"lockReasonTypeCode": c.ReasonCode})
}

// cardUnlock clears a lock.
type cardUnlock struct {
	Change
	ID int `arg:"" help:"Number of the card."`
}

func (cardUnlock) Help() string {
	return `mintmark card unlock 5001 --reason "the holder has called back"`
}

func (c cardUnlock) Run(ctx context.Context, t Terminal) error {
	return c.act(ctx, t, path("cards", c.ID, "unlock"), body{})
}

// cardReissue replaces a card.
type cardReissue struct {
	Change
	ID         int    `arg:"" help:"Number of the card."`
	ReasonCode string `required:"" placeholder:"CODE" help:"Why, such as DMG (damaged, same number) or LST (lost, another number)."`
}

func (cardReissue) Help() string {
	return `mintmark card reissue 5001 --reason-code LST --reason "lost in the post"`
}

func (c cardReissue) Run(ctx context.Context, t Terminal) error {
	return c.act(ctx, t, path("cards", c.ID, "reissue"),
		body{"reissueReasonTypeCode": c.ReasonCode})
}

// cardArchive puts a card out of sight.
type cardArchive struct {
	Change
	ID int `arg:"" help:"Number of the card."`
}

func (cardArchive) Help() string {
	return `mintmark card archive 5005 --reason "made by mistake"`
}

func (c cardArchive) Run(ctx context.Context, t Terminal) error {
	return c.act(ctx, t, path("cards", c.ID, "archive"), body{})
}
