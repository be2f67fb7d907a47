package load

import (
	"strconv"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/apikey"
)

type keyEntry struct {
	Name      string        `json:"name"`
	ProgramID int           `json:"programId"`
	Version   int           `json:"version"`
	State     apikey.State  `json:"state"`
	Secrets   []secretEntry `json:"secrets"`
	Allow     []string      `json:"allow"`
	PerSecond *float64      `json:"perSecond"`
	Burst     *int          `json:"burst"`

	Compatibility []string `json:"compatibility"`
}

var keyForm = form{
	title: "keys",
	members: map[string]string{
		"name": "Name of the key, the user name of Basic credentials. It may hold no colon, " +
			"and not be that of a key of the program that operators issued.",
		"programId": "Program whose cards the key reaches.",
		"version":   "Version of the interface that the key speaks.",
		"state":     "active, or revoked permanently; active when left out.",
		"secrets":   "Secrets of the key: two during a rotation. Only a digest is stored.",
		"allow":     "Addresses and CIDR blocks that the key may come from.",
		"perSecond": "Requests a second that the key may make; " +
			strconv.Itoa(apikey.DefaultPerSecond) + " when left out, 0 for no limit, " +
			"never negative.",
		"burst": "Requests that may come at once, at least 1; as large as perSecond when left " +
			"out.",
		"compatibility": "Compatibility: earlier-clients shows both names of an account's " +
			"priority, takes the creator as a missing holder, and lets the holder have a card " +
			"reissued, answered with ReissuedPendingVerification.",
	},
	rules:  problem.Describe(apikey.Key{}, apikey.State("")),
	hidden: []string{"secrets"},
}

type secretEntry struct {
	Secret  string     `json:"secret"`
	Expires value.Time `json:"expires"`
}

var secretForm = form{
	title: "secrets",
	members: map[string]string{
		"secret": "The secret as callers send it.",
		"expires": "When it expires; never when left out of a new one. An expired secret stays " +
			"expired.",
	},
	rules: problem.Describe(apikey.SecretText("")),
}

func entryOfKey(k apikey.Key) keyEntry {
	e := keyEntry{Name: k.Name, ProgramID: k.ProgramID, Version: k.Version, State: apikey.Active}
	if k.Name == "" {
		return e
	}
	if !k.Revoked.IsZero() {
		e.State = apikey.Revoked
	}
	e.PerSecond, e.Burst = &k.PerSecond, &k.Burst
	for _, prefix := range k.Allow {
		e.Allow = append(e.Allow, apikey.AllowText(prefix))
	}
	for _, habit := range k.Compatibility {
		e.Compatibility = append(e.Compatibility, string(habit))
	}
	return e
}
