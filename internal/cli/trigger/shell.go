package trigger

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mintmark/client/sandbox"
	"mintmark/internal/cli/ledger"
	"mintmark/internal/domain/fault"
)

// Shell returns the commands for a POSIX shell with curl that provoke the code of a case, one per
// line. The last one prints the response.
func (s *Sandbox) Shell(c ledger.Case) string {
	p := &printer{Sandbox: s, unique: unique()}
	fmt.Fprintf(&p.out, "# %d: %s\n", fault.Lookup(c.Kind).Code, c.Name)
	for _, step := range c.Given {
		p.step(step)
	}
	request := c.Request("$card", p.unique)
	if c.Most > 1 {
		// curl itself sends one request per number, over one connection: a process for each could
		// be slower than the allowed rate.
		request.Path += fmt.Sprintf("#[1-%d]", c.Most)
	}
	p.out.WriteString(p.curl(request) + "\n")
	return p.out.String()
}

// printer prints requests as commands.
type printer struct {
	*Sandbox
	unique string
	out    strings.Builder
}

// step prints a preparatory step.
func (p *printer) step(step ledger.Step) {
	switch {
	case step.Report != "":
		fmt.Fprintf(&p.out, "curl -s %s%scards/$card/reports -d %s\n", p.adminURL,
			sandbox.Prefix, quoted(fmt.Sprintf(`{"kind":%q}`, step.Report)))
	case step.FailCode != 0:
		fmt.Fprintf(&p.out, "curl -s %s%sfaults -d %s\n", p.adminURL, sandbox.Prefix,
			quoted(fmt.Sprintf(`{"route":%q,"key":%q,"code":%d,"times":1}`,
				step.Path, ledger.DefaultKey, step.FailCode)))
	case step.CreatesCard:
		fmt.Fprintf(&p.out, "card=$(%s | sed 's/.*\"cardId\":\\([0-9]*\\).*/\\1/')\n",
			strings.TrimSuffix(p.curl(step.Request("$card", p.unique)), lineEnd))
	default:
		fmt.Fprintf(&p.out, "%s\n", p.curl(step.Request("$card", p.unique)))
	}
}

// lineEnd makes curl end the line after a response.
const lineEnd = ` -w '\n'`

// curl returns a request as a command.
func (p *printer) curl(r ledger.Request) string {
	var b strings.Builder
	b.WriteString("curl -s")
	if r.HTTP10 {
		b.WriteString(" -0")
	}
	if r.Key != ledger.Anonymous {
		b.WriteString(" -u " + r.Key + ":" + r.Key)
	}
	plain := r.Method == "GET" && r.Body == "" || r.Method == "POST" && r.Body != ""
	if !plain {
		b.WriteString(" -X " + r.Method)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		b.WriteString(" -H " + quoted(name+": "+r.Header[name]))
	}
	b.WriteString(" " + quotedIfNeeded(p.url+r.Path))
	if r.Body != "" {
		b.WriteString(" -d " + quoted(r.Body))
	}
	return b.String() + lineEnd
}

// padding is the value that ledger.Fill substitutes for $padding.
var padding = strings.Repeat("0", ledger.PaddingBytes)

// quoted quotes a text for a shell. $card and the padding are left for the shell to expand.
func quoted(text string) string {
	text = "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	text = strings.ReplaceAll(text, "$card", `'"$card"'`)
	return strings.ReplaceAll(text, padding,
		fmt.Sprintf(`'"$(printf %%0%dd 0)"'`, ledger.PaddingBytes))
}

// quotedIfNeeded quotes a text only if necessary.
func quotedIfNeeded(text string) string {
	if strings.ContainsAny(text, "$'\"&;?*()[]<>|#\\ ") {
		return quoted(text)
	}
	return text
}
