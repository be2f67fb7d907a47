// Package failover crashes and kills the leader of two PostgreSQL servers under load, reports what
// that costs, and compares what was answered with what is there. It takes minutes, and Debian's
// Patroni and etcd, so it has a build tag: see make soak-failover.
package failover
