package audit

import "strings"

// earlierNames lists the actor names that mark an actor other than an API key, in entries without a
// kind of actor.
var earlierNames = []struct {
	prefix string
	actor  Actor
}{
	{"[expiry]", Actor{Kind: Job, Name: "expire unverified cards"}},
	{"[old PINs]", Actor{Kind: Job, Name: "destroy old PINs"}},
	{"[load] ", Actor{Kind: CommandLine}},
	{"[init] ", Actor{Kind: CommandLine}},
}

// OlderActor returns the actor of an entry that was written before actors had a kind.
func OlderActor(actor Actor) Actor {
	actor.Kind = APIKey
	for _, earlier := range earlierNames {
		if name, ok := strings.CutPrefix(actor.Name, earlier.prefix); ok {
			actor.Kind, actor.Name = earlier.actor.Kind, earlier.actor.Name+name
		}
	}
	return actor
}
