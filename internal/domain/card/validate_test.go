package card

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mintmark/internal/base/problem"
)

var spring = time.Date(2026, time.April, 1, 12, 0, 0, 0, time.UTC)

// fromElsewhere draws a card that an operator may import: a lock that a card can have, and the
// dates of a life that ends in its status.
func fromElsewhere(t *rapid.T) Card {
	c := Card{
		ID: rapid.IntRange(1, problem.MaxGivenID).Draw(t, "id"), ProgramID: 1, CustomerID: 1,
		HolderID: 2, BinID: 1,
		Type: rapid.SampledFrom(Types).Draw(t, "type"),
		Lock: rapid.SampledFrom(locks()).Draw(t, "lock"),
		Tag:  rapid.StringOfN(rapid.Rune(), 0, MaxTag, -1).Draw(t, "tag"),
		Name: NewName(rapid.StringMatching(`[A-Za-z][A-Za-z '.,&-]{0,20}`).Draw(t, "first"),
			rapid.StringMatching(`[a-z ]{0,20}`).Draw(t, "middle"),
			rapid.StringMatching(`[A-Za-z'.,&-]{1,20}`).Draw(t, "last")),
		NickName: rapid.StringOfN(rapid.Rune(), 1, MaxNickName, -1).Draw(t, "nickname"),
		Attributes: Attributes{
			QualifierCode: rapid.StringMatching(`[A-Za-z0-9]{0,3}`).Draw(t, "qualifier"),
		},
		Created: spring,
	}
	status := rapid.SampledFrom(Statuses).Draw(t, "status")
	return c.withStatus(status, spring.AddDate(0, 0, rapid.IntRange(0, 100).Draw(t, "days")))
}

func long(most int) string { return strings.Repeat("N", most+1) }

// brokenCards has a row for each rule about a single member.
var brokenCards = []struct {
	path   string
	change func(*Card)
}{
	{"cardId", func(c *Card) { c.ID = 0 }},
	{"programId", func(c *Card) { c.ProgramID = 0 }},
	{"customerId", func(c *Card) { c.CustomerID = 0 }},
	{"cardHolderCustomerId", func(c *Card) { c.HolderID = 0 }},
	{"binId", func(c *Card) { c.BinID = 0 }},
	{"typeCode", func(c *Card) { c.Type = "" }},
	{"typeCode", func(c *Card) { c.Type = "dbt" }},
	{"status", func(c *Card) { c.Status = "Lost" }},
	{"lockTypeCode", func(c *Card) { c.Lock.Type = "" }},
	{"lockReasonTypeCode", func(c *Card) { c.Lock.Reason = "" }},
	{"tag", func(c *Card) { c.Tag = long(MaxTag) }},
	{"nickName", func(c *Card) { c.NickName = "" }},
	{"nickName", func(c *Card) { c.NickName = long(MaxNickName) }},
	{"firstName", func(c *Card) { c.Name.First = "" }},
	{"firstName", func(c *Card) { c.Name.First = long(MaxFirstName) }},
	{"firstName", func(c *Card) { c.Name.First = "J4NE" }},
	{"firstName", func(c *Card) { c.Name = NewName("-", "", ".") }},
	{"middleName", func(c *Card) { c.Name.Middle = "É" }},
	{"middleName", func(c *Card) { c.Name.Middle = long(MaxMiddleName) }},
	{"lastName", func(c *Card) { c.Name.Last = "" }},
	{"lastName", func(c *Card) { c.Name.Last = "DE VRIES" }},
	{"lastName", func(c *Card) { c.Name.Last = long(MaxLastName) }},
	{"qualifierCode", func(c *Card) { c.QualifierCode = "ABCD" }},
	{"qualifierCode", func(c *Card) { c.QualifierCode = "A-1" }},
	{"createdDate", func(c *Card) { c.Created = time.Time{} }},

	{"lockReasonTypeCode", func(c *Card) { c.Lock = Lock{Unlocked, Lost} }},
	{"lockReasonTypeCode", func(c *Card) { c.Lock = Lock{Customer, PinRetries} }},
	{"requestedDate", func(c *Card) { c.Requested = spring.Add(-1) }},
	{"verifiedDate", func(c *Card) { c.Status, c.Verified = Verified, time.Time{} }},
	{"verifiedDate", func(c *Card) { c.Verified = spring.Add(-1) }},
	{"reissuedDate", func(c *Card) { c.Status, c.Reissued = Reissued, time.Time{} }},
	{"deniedDate", func(c *Card) { c.Status, c.Denied = Denied, time.Time{} }},
	{"deniedDate", func(c *Card) { c.Status, c.Denied = Initiated, spring }},
	{"expiredDate", func(c *Card) { c.Status, c.Expired = Expired, time.Time{} }},
	{"archivedDate", func(c *Card) { c.Status, c.Archived = Archived, time.Time{} }},
	{"archivedDate", func(c *Card) { c.Status, c.Archived = Initiated, spring }},
}

func TestValidate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := fromElsewhere(t)
		if problems := c.Validate(); problems != nil {
			t.Fatalf("%+v\n%v", c, problems)
		}
		for _, b := range brokenCards {
			changed := c
			changed.Archived, changed.Denied = time.Time{}, time.Time{}
			changed.Status = Initiated
			b.change(&changed)
			problems := changed.Validate()
			if len(problems) != 1 || problems[0].Path != b.path {
				t.Errorf("want a problem with %s, got %v", b.path, problems)
			}
		}
	})
}

// TestValidateSays checks the messages of the rules defined in this package.
func TestValidateSays(t *testing.T) {
	for want, change := range map[string]func(*Card){
		`firstName: "J4NE" may hold only the letters A to Z, hyphen, apostrophe, period, comma, ` +
			`ampersand and space`: func(c *Card) { c.Name.First = "J4NE" },
		`lastName: "DE VRIES" may hold only the letters A to Z, hyphen, apostrophe, period, ` +
			`comma and ampersand`: func(c *Card) { c.Name.Last = "DE VRIES" },
		"firstName: the printed name, cut to 22 characters, must hold a letter A to Z": func(
			c *Card) {
			c.Name = NewName(strings.Repeat("-", 22), "", "Lee")
		},
		"lockReasonTypeCode: must be UNK while lockTypeCode is UNL": func(c *Card) {
			c.Lock.Reason = Lost
		},
		"lockReasonTypeCode: PIN is a reason of the system only": func(c *Card) {
			c.Lock = Lock{Customer, PinRetries}
		},
		"verifiedDate: lies before createdDate": func(c *Card) { c.Verified = spring.Add(-1) },
		"verifiedDate: a value is required for a card that is Verified": func(c *Card) {
			c.Status = Verified
		},
		"deniedDate: cannot be set for a card that is Initiated": func(c *Card) {
			c.Denied = spring
		},
	} {
		c := Card{
			ID: 1, ProgramID: 1, CustomerID: 1, HolderID: 1, BinID: 1, Type: Debit,
			Status: Initiated, Lock: unlocked, NickName: "N", Name: NewName("A", "", "B"),
			Created: spring,
		}
		change(&c)
		if got := c.Validate().String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestLifeIsValid checks that every life a card can have here may also be imported.
func TestLifeIsValid(t *testing.T) {
	for _, life := range []Card{
		Initiate(Issuance{}, spring), CreateDigital(Issuance{}, spring),
		Initiate(Issuance{}, spring).withStatus(Denied, spring).withStatus(Archived, spring),
		Initiate(Issuance{}, spring).withStatus(Expired, spring),
	} {
		life.ID, life.ProgramID, life.CustomerID, life.HolderID, life.BinID = 1, 1, 1, 1, 1
		life.Type, life.NickName, life.Name = Credit, "N", NewName("A", "", "B")
		if problems := life.Validate(); problems != nil {
			t.Errorf("%s: %v", life.Status, problems)
		}
		if !life.LastDated().Equal(life.Modified) {
			t.Errorf("%s: last dated %v", life.Status, life.LastDated())
		}
	}
}

func TestAccountIDs(t *testing.T) {
	for want, ids := range map[string]AccountIDs{
		"":                                     {1, 2, 3, 4, 5, 6, 7, 8},
		"accountIds: must have 1 to 8 entries": {},
		"accountIds: 2 appears twice":          {2, 1, 2},
		"accountIds[1]: must be a whole number from 1 to 2147483647": {1, 0},
	} {
		if got := problem.Check(ids).String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := problem.Check(make(AccountIDs, 9)).String(); !strings.Contains(got, "1 to 8") {
		t.Errorf("nine: %q", got)
	}
}

func TestIssuedUnder(t *testing.T) {
	c := Card{Created: time.Date(2026, 2, 1, 2, 0, 0, 0, time.UTC)}
	west := time.FixedZone("west", -5*3600)
	got := c.IssuedUnder("VS", 48, west)
	if got.Vendor != "VS" || got.ExpireYear != 2030 || got.ExpireMonth != 1 {
		t.Errorf("%s, %d/%d", got.Vendor, got.ExpireMonth, got.ExpireYear)
	}
}

// TestCheckPast checks that dates of a card may be slightly ahead of the clock, since they may come
// from another clock, but not more.
func TestCheckPast(t *testing.T) {
	for want, ahead := range map[string]time.Duration{
		"": 5 * time.Minute,
		"createdDate: lies in the future\nverifiedDate: lies in the future": 5*time.Minute + 1,
	} {
		c := Card{Created: spring.Add(ahead), Verified: spring.Add(ahead)}
		if got := c.CheckPast(spring).String(); got != want {
			t.Errorf("%s ahead: %q, want %q", ahead, got, want)
		}
	}
}
