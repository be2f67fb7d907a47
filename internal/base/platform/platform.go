// Package platform has everything that differs between operating systems: locks on open files,
// owners and permissions, directories on disk, free space, limits. It knows nothing of cards; every
// other package is the same on Linux, macOS and Windows.
//
// Two things exist only on Unix. Permission bits: Windows uses access control lists instead, and
// Exposed always reports false there. SIGHUP: on Windows a server must be restarted to reload its
// settings.
package platform
