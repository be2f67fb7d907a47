package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// typed is a command on a page with the output that the page shows.
type typed struct{ command, shows string }

// typedIn returns the commands in the console blocks of a page: lines that begin with a dollar,
// further lines of an open quote, and the output below.
func typedIn(page string) []typed {
	var all []typed
	for i, block := range strings.Split(page, "```") {
		console, ok := strings.CutPrefix(block, "console\n")
		if !ok || i%2 == 0 {
			continue
		}
		for line := range strings.Lines(console) {
			command, begins := strings.CutPrefix(line, "$ ")
			last := len(all) - 1
			switch {
			case begins:
				all = append(all, typed{command: command})
			case strings.Count(all[last].command, "'")%2 == 1:
				all[last].command += line
			default:
				all[last].shows += line
			}
		}
	}
	return all
}

// pattern returns an expression that matches the output of a command: "..." on the page matches
// anything.
func (c typed) pattern() *regexp.Regexp {
	text := strings.ReplaceAll(regexp.QuoteMeta(c.shows), `\.\.\.`, `(?s:.*)`)
	return regexp.MustCompile(`^` + text + `$`)
}

// TestReadme runs the commands in the README and compares their output.
func TestReadme(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	head, err := exec.CommandContext(t.Context(), "git", "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	program := sandbox(t)
	page := typedIn(strings.NewReplacer("http://127.0.0.1:8080", program.url,
		"http://127.0.0.1:8081", program.adminURL(),
		"commit ...\n", "commit "+string(head)).Replace(string(text)))
	if differs := program.compare(page); len(page) != 9 || len(differs) > 0 {
		t.Errorf("of %d commands differ:\n%s", len(page), strings.Join(differs, "\n"))
	}
}

// TestReadmeIsCompared is the control: a page with other output is detected, for the command that
// starts a sandbox and for one that calls it.
func TestReadmeIsCompared(t *testing.T) {
	t.Parallel()
	page := typedIn("```console\n$ mintmark sandbox\nMintmark\n" +
		"$ echo 'a\nb'\na\nb\n$ echo cd\nc...e\n```\n")
	if differs := sandbox(t).compare(page); len(page) != 3 || len(differs) != 2 {
		t.Errorf("of %q differ %q", page, differs)
	}
}

// compare runs commands in one shell and returns those whose output differs from the page. Commands
// that start a sandbox are not run again but compared with the output of p, however p was started:
// e2e/install starts it from the package and the image.
func (p *process) compare(page []typed) []string {
	p.Helper()
	const end = "-- end of a command --\n"
	var script strings.Builder
	var commands []typed
	var differs []string
	for _, c := range page {
		switch {
		case strings.HasSuffix(c.command, " sandbox\n"):
			if !c.pattern().MatchString(p.opening) {
				differs = append(differs, c.command+p.opening)
			}
		case !strings.HasPrefix(c.command, "podman load "):
			commands = append(commands, c)
			script.WriteString(c.command + "printf '%s' '" + end + "'\n")
		}
	}
	shell := exec.CommandContext(p.Context(), "sh", "-eu")
	shell.Dir, shell.Stdin = "..", strings.NewReader(script.String())
	shell.Env = append(os.Environ(), "CGO_ENABLED=0")
	said, err := shell.Output()
	if err != nil {
		p.Fatalf("the shell ends with %v after\n%s", err, said)
	}
	for i, shown := range strings.SplitAfter(string(said), end)[:len(commands)] {
		if shown = strings.TrimSuffix(shown, end); !commands[i].pattern().MatchString(shown) {
			differs = append(differs, commands[i].command+shown)
		}
	}
	return differs
}

// newcomer pastes the commands that a sandbox and its page propose into a shell.
type newcomer struct {
	*process
	banner string // requests that the banner proposes
	walk   string // life of a card in docs/sandbox.md
}

func newNewcomer(t *testing.T, args ...string) newcomer {
	t.Helper()
	program := sandbox(t, args...)
	text, err := os.ReadFile(filepath.Join("..", "docs", "sandbox.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, banner, ok := strings.Cut(program.opening, "Try in another terminal:\n")
	if !ok {
		t.Fatalf("the banner proposes nothing:\n%s", program.opening)
	}
	walk := shellOf(t, string(text), "## A card's life in a shell\n")
	return newcomer{program, banner, strings.NewReplacer(
		"http://127.0.0.1:8080", program.url, "http://127.0.0.1:8081", program.adminURL(),
	).Replace(walk)}
}

var health = regexp.MustCompile(`(http://\S+)/healthz|for operators on (https?://\S+)`)

// adminURL returns the operators' address from the banner.
func (p *process) adminURL() string {
	p.Helper()
	match := health.FindStringSubmatch(p.opening)
	if match == nil {
		p.Fatalf("the program does not say where operators are answered: %q", p.opening)
	}
	return match[1] + match[2] // of a sandbox, of production
}

// shellOf returns all shell commands in a section of a document.
func shellOf(t *testing.T, document, heading string) string {
	t.Helper()
	_, section, ok := strings.Cut(document, heading)
	if !ok {
		t.Fatalf("there is no section %q", heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var typed strings.Builder
	for i, block := range strings.Split(section, "```") {
		if shell, known := strings.CutPrefix(block, "sh\n"); known && i%2 == 1 {
			typed.WriteString(shell)
		}
	}
	return typed.String()
}

// answer is the part of an answer that a newcomer looks at.
type answer struct {
	Status int
	Now    string // of the moved clock
	Errors []struct{ Code int }
	Data   struct {
		CardID int
		Status string
		Tag    string
	}
}

// paste runs a text in a shell and returns the answers in its output.
func (n newcomer) paste(text string) []answer {
	n.Helper()
	for _, needed := range []string{"curl", "openssl"} {
		if _, err := exec.LookPath(needed); err != nil {
			n.Fatalf("the requests of the page need %s; scripts/need curl installs it: %v", needed, err)
		}
	}
	shell := exec.Command("sh")
	shell.Stdin = strings.NewReader(text)
	shell.Dir = n.TempDir()
	out, err := shell.CombinedOutput()
	if err != nil {
		n.Fatalf("the shell ends with %v and says %s", err, out)
	}
	var answers []answer
	for line := range strings.Lines(string(out)) {
		var shown answer
		if err := json.Unmarshal([]byte(line), &shown); err != nil {
			n.Fatalf("the shell shows what is no answer: %v: %q", err, line)
		}
		answers = append(answers, shown)
	}
	if left, err := os.ReadDir(shell.Dir); err != nil || len(left) > 0 {
		n.Errorf("the shell leaves %v, %v", left, err)
	}
	return answers
}

// complaints returns what is wrong with the answers to a banner and the walk after it: every
// request must succeed, and each act must affect the intended card.
func complaints(banner, walk []answer) []string {
	if len(banner) != 3 || len(walk) != 9 {
		return []string{fmt.Sprintf("%d and %d answers, want 3 and 9", len(banner), len(walk))}
	}
	var list []string
	for i, shown := range slices.Concat(banner, walk) {
		if shown.Status != http.StatusOK && shown.Now == "" {
			list = append(list, fmt.Sprintf("request %d is refused: %+v", i+1, shown))
		}
	}
	if banner[2].Data.CardID != banner[1].Data.CardID {
		list = append(list, "the banner does not find its card again")
	}
	first, second := walk[0].Data.CardID, walk[4].Data.CardID
	for i, want := range []int{first, first, first, first, second, second} {
		if walk[i].Data.CardID != want {
			list = append(list, fmt.Sprintf("step %d meets card %d, want %d",
				i+1, walk[i].Data.CardID, want))
		}
	}
	if first == second || first == banner[1].Data.CardID {
		list = append(list, "the walk has no cards of its own")
	}
	if last := walk[5].Data; last.Status != "Verified" || last.Tag != walk[0].Data.Tag {
		list = append(list, fmt.Sprintf("the new PIN is for %+v", last))
	}
	if walk[7].Now == "" {
		list = append(list, "the clock is not moved")
	}
	late := walk[8].Data
	if late.Status != "Expired" || late.CardID != walk[6].Data.CardID || late.CardID == second {
		list = append(list, fmt.Sprintf("the late card is %+v", late))
	}
	return list
}

// wanted matches the events of a walk in order, as docs/sandbox.md promises to a listener.
var wanted = regexp.MustCompile(`(?s)card\.initiated card (\d+) .*card\.shipped card \d+` +
	`.*card\.verified card.*card\.locked card.*card\.unlocked card.*card\.reissued card` +
	`.*card\.pin\.set card.*card\.expired card`)

// TestWalk pastes the commands of the banner and of docs/sandbox.md, twice into one sandbox.
func TestWalk(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t, "--data", filepath.Join(t.TempDir(), "data"), "--seed", "7")
	watching := n.listen()
	watching.secret(t)
	for range 2 {
		for _, complaint := range complaints(n.paste(n.banner), n.paste(n.walk)) {
			t.Error(complaint)
		}
		time.Sleep(time.Second) //nolint:forbidigo // The tags hold the second in which they were chosen.
	}
	if shown := watching.out.String(); !wanted.MatchString(shown) {
		t.Errorf("the listener has shown only\n%s", shown)
	}
	same(t, "exit code", n.end(syscall.SIGTERM), 0)
}

// TestWalkIsHeard is the control: a walk that assumes a fixed card id is detected.
func TestWalkIsHeard(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	granted := regexp.MustCompile(`card=\$\(.*`).ReplaceAllString(n.walk, "card=10001")
	if granted == n.walk {
		t.Fatal("the walk asks for no number")
	}
	problems := complaints(n.paste(n.banner), n.paste(granted))
	if !strings.Contains(strings.Join(problems, "\n"), "meets card") {
		t.Errorf("only this is noticed: %q", problems)
	}
}
