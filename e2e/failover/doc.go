// Package failover crashes and kills the leader of two PostgreSQL servers under load, reports the
// interruptions, and compares the answers with the database. It takes minutes, and Debian's Patroni
// and etcd, so it has a build tag: see make soak-failover.
package failover
