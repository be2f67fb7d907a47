// Package failover kills the leader of two PostgreSQL servers under load and reports what that
// costs. It takes minutes, and Debian's Patroni and etcd, so it has a build tag: see
// make soak-failover.
package failover
