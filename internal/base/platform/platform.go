// Package platform holds what differs between operating systems: locks on open files, owners and
// permissions, directories on disk, free space, limits. It knows nothing of cards; every other
// package is the same on Linux, macOS and Windows.
//
// Two things exist on Unix alone. Permission bits: on Windows access control lists take their
// place, and Exposed finds nothing there. SIGHUP: a server on Windows is restarted to read its
// settings anew.
package platform
