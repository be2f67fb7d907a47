// Package install tests what a person gets who runs Mintmark: the Debian package, the image, the
// list of modules, the unit for systemd, the files in deploy/, and the walk in docs/install.md from
// the package to a verified card. What scripts/dist builds is tested with the tag long, which make
// check-long sets.
package install
