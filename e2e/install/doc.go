// Package install tests what those get who run Mintmark: the Debian package, the image, the list of
// modules, the unit for systemd, the files in deploy/, and the walk in docs/operating.md from the
// package to a verified card. It builds with scripts/dist, for this machine alone; make check-long
// builds everything twice and compares the bytes.
package install
