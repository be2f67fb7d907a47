package doctor

import "slices"

// Check is a check of an installation: its name, what it examines, why that matters, and how to
// cure a bad result. A finding may override the reason and the cure.
type Check struct {
	Name, Looks, Why, Cure string
}

// Group is a group of checks that share a condition.
type Group struct {
	Title  string
	Checks []Check
}

// Catalogue holds every check, in the order of execution.
var Catalogue = []Group{
	{"Settings, with `--config`", []Check{
		{"settings", "the settings file, as `serve` reads it",
			"serve does not start with these settings, and nothing else can be examined",
			"correct the file; docs/settings.md lists the settings"},
		{"public address", "`publicUrl` is `https`, or on loopback",
			"callers use plain HTTP, which exposes their secrets",
			"put https in front of it, and write that address into publicUrl"},
		{"trusted proxies", "`trustedProxies` hold a few addresses, or private ones",
			"a machine with such an address can claim any other, and so pass the list of " +
				"addresses of a key",
			"name the addresses of the proxies alone"},
		{"open files", "the limit of open files, for this user, against `limits.connections`",
			"if serve runs under the same limit, it lowers limits.connections to fit",
			"raise LimitNOFILE of the service, or ulimit -n"},
		{"processor folder", "`processor.folder` is there and can be written to",
			"orders cannot be written and reports cannot be read, so no card is made",
			"mount the folder, and make the user of the service its owner"},
	}},
	{"Files", []Check{
		{"data directory", "the modes of the directory and of the database",
			"the keys and the database together open the card numbers",
			"run doctor as the user of the server, on the directory that the server uses"},
		{"custody", "who opens the key files; a warning for one that lies in the clear where " +
			"others are wrapped, or where the settings name a custody",
			"without wrapping.json the key files cannot be opened",
			"restore wrapping.json from the backup of the keys"},
		{"keys", "the key files can be read by the server alone",
			"without them API secrets, card numbers and PINs cannot be read",
			"chmod 600 where the mode is wrong; restore the key files from their backup where " +
				"one is missing or damaged"},
		{"backup", "only with `--backup FILE`: the file is as `mintmark backup` has written it, " +
			"under these keys",
			"rights and balances in it may have been changed",
			"keep the file for an investigation, and restore another backup"},
		{"disk space", "below 1 GiB is a warning, below 64 MiB a failure",
			"when the disk is full, requests that write are answered 50503",
			"free space, or move the directory to a larger disk"},
		{"inodes", "how many more files the disk can hold; below 1 in 20 is a warning",
			"a disk without free inodes is as full as one without free space",
			"look for a directory with very many files on the same disk"},
		{"unfinished restore", "what an interrupted `mintmark restore` has left",
			"there is no database until the restore is finished",
			"repeat mintmark restore, which starts over"},
		{"insecure", "what the settings accept with `insecure: true`, a warning each",
			"serve accepts it only because the settings say insecure: true",
			"docs/operating.md says what to do instead, under Settings that are not secure"},
		{"certificate", "both files and their dates; 14 days before its end is a warning",
			"callers refuse to connect without a valid certificate",
			"renew it; a running server reads the new files by itself"},
	}},
	{"Database", []Check{
		{"database", "the database can be read",
			"no request can be answered without it",
			"check that the server runs and accepts the connection string"},
		{"schema", "its tables are of this program's version",
			"this program has not migrated the database yet; doctor checks more after a migration",
			"run mintmark migrate, or run doctor with the program that serves"},
		{"fingerprints", "the database remembers these keys; with `--config`, that it is " +
			"production's",
			"serve does not start: other nodes could not open its card numbers, and it " +
				"could not open the stored ones",
			"use the keys that belong to the database, or the database that belongs to the keys"},
	}},
	{"The embedded database", []Check{
		{"integrity", "only with `--deep`: every page, index and reference",
			"the file is damaged: what is read from it may be wrong, and the damage grows",
			"stop the server, keep a copy of the file with its -wal, look for the cause (disk, " +
				"memory, a copy made while the server ran), restore the newest valid backup"},
		{"log", "the length of the `-wal` file; above 256 MiB is a warning",
			"a reader that stays open keeps the log from being written back into the file",
			"look for a program that holds the database open; a restart empties it"},
		{"server", "which process serves from it",
			"serve locks this file, so that only one process serves from the database",
			"run doctor as the user of the server, on a file system that supports locks"},
	}},
	{"PostgreSQL", serverChecks},
	{"Activity", []Check{
		{"clock", "this machine's clock against the server's, or against the newest act; a jump of a " +
			"node's clock in the last week",
			"keys, certificates, time windows and limits depend on the clock",
			"synchronize all clocks by NTP"},
		{"orders", "an order that has waited for longer than a day",
			"until it is sent, its card is not made or its PIN not set",
			"find out why the processor takes no orders"},
		{"failed orders", "orders that were refused or given up",
			"their cards are not made, or not locked, at the card processor",
			"mintmark order list --state failed; then mintmark order retry, or drop"},
		{"ignored reports", "reports of the last week that contradict the state of a card",
			"the card processor and Mintmark disagree about a card",
			"look for them in the table reports, and settle each with the processor"},
		{"card numbers", "an active BIN that has issued nine tenths of its numbers",
			"after its last number, no card can be made or replaced (59103)",
			"add a BIN of the same vendor to the program and take the full one out of use: " +
				"callers that name no BIN get the first in use"},
		{"old PINs", "a PIN that has waited for longer than 25 hours",
			"a job destroys PINs after 24 hours, so it is not running",
			"look for failed jobs in the server's log"},
		{"old answers", "an answer kept an hour longer than `retention.answers`",
			"a job drops them after that time, so it is not running",
			"look for failed jobs in the server's log"},
		{"jobs", "those that fail, and those that are overdue for an hour",
			"jobs expire and renew cards, destroy PINs and send orders",
			"look for the job in the server's log; /readyz?verbose of any node shows the state " +
				"of all jobs"},
		{"leases", "a lease that ended more than an hour ago and that no node has taken",
			"its node has died, and no other node does the work",
			"start a node, and look into the log of the one that died"},
		{"sealing", "an audit entry that has not been sealed for a minute; an hour is a failure",
			"entries that are not sealed can be removed unnoticed, and events are not sent",
			"look for the job \"seal the audit\" in the server's log"},
		{"checkpoint", "the newest checkpoint is signed by the key of the log",
			"the audit was sealed with other keys, or was changed",
			"mintmark audit verify, with a checkpoint that was kept elsewhere"},
		{"webhooks", "deliveries that have failed for more than an hour; webhooks that were " +
			"paused by an answer 410",
			"their receivers get no events",
			"mintmark webhook delivery shows the attempts; tell the team of the receiver"},
		{"fences", "a program that `mintmark program export --fence` has fenced",
			"its callers and the card processor are answered 503",
			"finish the move, or abandon it: mintmark program unfence --program N"},
		{"compromised keys", "keys of banks that others may know, and what is still sealed under " +
			"them",
			"with such a key and a copy of the database, these card numbers and PINs can be read",
			"wait until mintmark keys status counts nothing under the key, then mintmark keys " +
				"retire; a bank without an active key needs mintmark keys rotate first"},
		{"re-sealing", "card numbers and PINs that wait to be encrypted under the key of their bank; " +
			"two hours without a batch are a warning",
			"a key cannot be retired while anything is encrypted under it",
			"mintmark job get \"re-encrypt under bank keys\" says why the job fails; start a " +
				"node where none runs"},
	}},
	{"Production", []Check{
		{"last backup", "the newest `mintmark backup`; none for a week is a warning",
			"if the disk is lost, everything since the backup is lost",
			"mintmark backup each night; Mintmark does not know of backups by other programs"},
		{"administrators", "there is an active administrator of all banks",
			"no operator can add others or revoke rights",
			"mintmark operator create NAME --role administrator"},
		{"second factor", "no active operator signs in with a password alone",
			"a person who learns the password can act as the operator",
			"mintmark operator invite NAME, so that an authenticator app is set up"},
		{"local sign-in", "with `openid`: no sign-in with a password for a week",
			"the break-glass operator, kept for when the provider is unreachable, was used",
			"find out why; the audit shows what was done"},
		{"tokens", "tokens of programs that expire within 14 days, or never",
			"a program is refused when its token expires; a token without end stays valid",
			"mintmark token create NAME --lasts 2160h, give it to the program, revoke the old one"},
		{"four eyes", "with a program that demands a second operator: the settings demand one, too",
			"an operator who can create operators or tokens alone can act as the second operator",
			"fourEyes: true in the settings file"},
		{"owners of tokens", "tokens without a known owner",
			"a request of such a token that needs a second operator is refused",
			"mintmark token create NAME, give it to the program, revoke the old one"},
		{"API keys", "a caller's key whose last secret expires within 14 days, or has expired",
			"the caller is refused from then on",
			"rotate the key: mintmark key rotate NAME --program N"},
	}},
}

// serverChecks are the checks of a PostgreSQL server.
var serverChecks = []Check{
	{"server version", "15 or newer", "Mintmark is tested on PostgreSQL 15 and newer",
		"upgrade the server"},
	{"fsync", "is on", "committed changes are lost when the machine stops", setOn},
	{"full_page_writes", "is on", "a half-written page cannot be repaired after a crash", setOn},
	{"synchronous_commit", "is at least on", "committed changes are lost when the server crashes",
		setOn},
	{"data_checksums", "are kept", "data corrupted by a disk goes unnoticed",
		"stop the server, run pg_checksums --enable on its data directory, start it again"},
	{"connection", "is encrypted, or local",
		"names, birth dates and the password of the database cross the network in plain text",
		"sslmode=verify-full in the connection string, and a certificate on the server"},
	{"constraints", "are valid for all rows",
		"rows may violate a constraint that the program relies on",
		"ALTER TABLE ... VALIDATE CONSTRAINT, or REINDEX INDEX CONCURRENTLY"},
	{"checksums", "no damaged page was found", "the disk of the server damages data",
		"switch to the standby, and replace the disk"},
	{"encoding", "is UTF8", "names in other scripts cannot be stored",
		"create the database again with ENCODING 'UTF8', and restore a backup into it"},
	{"collation", "the indexes have the sort order of this operating system",
		"after an upgrade of the operating system an index may miss rows",
		"REINDEX DATABASE, then ALTER DATABASE ... REFRESH COLLATION VERSION"},
	{"autovacuum", "it and `track_counts` are on",
		"tables keep growing until the server accepts no more writes", setOn},
	{"transaction numbers", "how many were given out since the oldest in use; a thousand " +
		"million is a warning, 1800 million a failure",
		"beyond two thousand million the server accepts no more writes",
		"end old transactions, drop idle replication slots, then VACUUM"},
	{"long transactions", "a transaction of 10 minutes, or one prepared for two-phase commit",
		"deleted rows are not reclaimed, the sealing of the audit waits, and locks are held",
		"SELECT * FROM pg_stat_activity ORDER BY xact_start; end it with pg_terminate_backend"},
	{"connections", "four fifths of `max_connections` are a warning",
		"beyond the limit nodes cannot connect", "lower pool_max_conns of the nodes, or raise " +
			"max_connections"},
	{"standby", "a standby is connected, if `synchronous_standby_names` names any",
		"every commit waits until such a standby is connected",
		"start the standby, or empty the setting"},
	{"replication slots", "each has a reader that is connected",
		"the server keeps its log for the reader until the disk is full",
		"start the reader, or pg_drop_replication_slot"},
	{"archiving", "the log is archived, and the last attempt succeeded",
		"only the last backup can be restored, not the moment before a mistake",
		"archive_mode and archive_command as in deploy/postgresql/archive.conf"},
}

// setOn is the cure for a setting that can be set in three places.
const setOn = "set it to on for the server, the database and the user"

// checkOf returns the check with a name.
func checkOf(name string) (Check, bool) {
	for _, group := range Catalogue {
		at := slices.IndexFunc(group.Checks, func(c Check) bool { return c.Name == name })
		if at >= 0 {
			return group.Checks[at], true
		}
	}
	return Check{}, false
}
