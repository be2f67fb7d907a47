package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
)

// collector receives the spans that a server sends over OTLP. Their strings are readable in
// transit.
type collector struct {
	mu    sync.Mutex
	spans bytes.Buffer
	url   string
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, _ = io.Copy(&c.spans, r.Body) // a truncated body is searched as received
	}))
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

// text returns everything received so far, which must contain each of the given routes.
func (c *collector) text(t *testing.T, routes ...string) []byte {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	text := bytes.Clone(c.spans.Bytes())
	for _, route := range routes {
		if !bytes.Contains(text, []byte(route)) {
			t.Errorf("the traces do not show %s", route)
		}
	}
	return text
}

var (
	invited  = regexp.MustCompile(`(/console/invitation/\S+)`)
	linked   = regexp.MustCompile(`href="(/console/[^"#]*)`)
	oneShown = regexp.MustCompile(`id="secret"[^>]*>([^<]+)<`)
)

// mostPages is the maximum number of pages to open, and perShape that of pages that differ only in
// numbers.
const mostPages = 600

func perShape() int { return len(some(make([]struct{}, 6), 2)) }

// browse signs an operator in to the console and opens every page that links lead to, including the
// acts on a card; finds a card by its full number, in the right form and in the wrong one; locks a
// card; and issues a key. It returns the secrets that were shown, and all pages except those that
// show a secret once.
func (c *circle) browse(
	cardID int, number string,
) (secrets []canary, pages map[string][]byte) {
	c.Helper()
	printed := c.done("operator", "create", "canary-person", "--role", "administrator",
		"--config", c.config)
	link := invited.FindString(printed)
	v := &visitor{c.T, c.node.adminURL(), map[string]string{}}
	page := v.wantStatus("the link", link, nil, http.StatusOK)
	shared := secretPrinted.FindStringSubmatch(page)
	if shared == nil {
		c.Fatalf("the page behind the link shows no secret: %.300s", page)
	}
	code, err := totp.GenerateCode(shared[1], time.Now())
	if err != nil {
		c.Fatal(err)
	}
	const password = "canary-password-Rt5YpW3sQ"
	v.wantStatus("set up", link, url.Values{"password": {password}, "code": {code}},
		http.StatusSeeOther)

	pages = make(map[string][]byte)
	post := func(path string, form url.Values, want int) string {
		text := v.wantStatus(path, path, form, want)
		pages["POST "+path] = []byte(text)
		return text
	}
	card := fmt.Sprintf("/console/cards/%d", cardID)
	begin := []string{"/console/", card, card + "/lock", "/console/new-key?programId=1"}
	if number != "" {
		post("/console/search", url.Values{"q": {number}}, http.StatusSeeOther)
		post("/console/search", url.Values{"q": {number + "0"}}, http.StatusOK)
		begin = append(begin, "/console/cards?q="+number, "/console/customers?q="+number,
			"/console/audit?subject="+number)
		post(card+"/lock", url.Values{
			"lockReasonTypeCode": {"ADM"}, "reason": {"The number is " + number},
		}, http.StatusUnprocessableEntity)
	}
	post(card+"/lock", url.Values{
		"lockReasonTypeCode": {"ADM"}, "reason": {"a canary in the console"},
	}, http.StatusSeeOther)
	issued := v.wantStatus("issue a key", "/console/new-key?programId=1", url.Values{
		"name": {"by-console"}, "version": {"1"}, "allow": {"127.0.0.0/8"}, "reason": {"a canary"},
	}, http.StatusOK)
	secret := oneShown.FindStringSubmatch(issued)
	if secret == nil {
		c.Fatalf("the page of a new key shows no secret: %.2000s", issued)
	}
	c.crawl(v, begin, pages)
	return []canary{
		{"password of a person", password}, {"secret of one-time codes", shared[1]},
		{"session", v.cookies["__Host-mintmark"]}, {"secret of a key from the console", secret[1]},
		{"link of an invitation", strings.TrimPrefix(link, "/console/invitation/")},
	}, pages
}

// crawl opens pages and all pages that they link to.
func (c *circle) crawl(v *visitor, begin []string, pages map[string][]byte) {
	c.Helper()
	shapes := make(map[string]int)
	for waiting := begin; len(waiting) > 0 && len(pages) < mostPages; waiting = waiting[1:] {
		path := waiting[0]
		if _, seen := pages[path]; seen {
			continue
		}
		shape, _, _ := strings.Cut(digits.ReplaceAllString(path, "0"), "?")
		shapes[shape]++
		if shapes[shape] > perShape() {
			continue
		}
		answer, text := v.send(path, nil)
		if answer.StatusCode >= http.StatusInternalServerError {
			c.Errorf("%s: the status is %d", path, answer.StatusCode)
		}
		pages[path] = []byte(text)
		for _, match := range linked.FindAllStringSubmatch(text, -1) {
			to := strings.ReplaceAll(match[1], "&amp;", "&")
			if !strings.HasPrefix(to, "/console/sign-out") {
				waiting = append(waiting, to)
			}
		}
	}
	for _, shape := range []string{
		"/console/cards/0", "/console/customers/0", "/console/keys/by-console", "/console/audit/0",
		"/console/orders", "/console/events", "/console/webhooks/0", "/console/operators/0",
	} {
		if shapes[shape] == 0 {
			c.Errorf("no link leads to %s", shape)
		}
	}
}

// digits matches the numbers in a path and the ids of orders.
var digits = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\d+`)
