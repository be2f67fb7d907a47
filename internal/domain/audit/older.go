package audit

import "strings"

// earlierNames are how entries without a kind of actor name actors that are no API key.
var earlierNames = []struct {
	prefix string
	actor  Actor
}{
	{"[expiry]", Actor{Kind: Job, Name: "expire unverified cards"}},
	{"[old PINs]", Actor{Kind: Job, Name: "destroy old PINs"}},
	{"[load] ", Actor{Kind: CommandLine}},
	{"[init] ", Actor{Kind: CommandLine}},
}

// OlderActor is the actor of an entry that was written before entries had a kind of actor.
func OlderActor(actor Actor) Actor {
	actor.Kind = APIKey
	for _, earlier := range earlierNames {
		if name, ok := strings.CutPrefix(actor.Name, earlier.prefix); ok {
			actor.Kind, actor.Name = earlier.actor.Kind, earlier.actor.Name+name
		}
	}
	return actor
}
