// Package admin is a client for the operators' interface of Mintmark, /admin/v1/, with one function
// for each kind of request and the resources as they are sent over the wire. The service returns
// these types, and the command line and the console read them, so each member is defined once.
//
// Times are time.Time; amounts are json.Number, with the decimal digits of their program. Members
// without a value are omitted. Resources that can be changed have a revision, which their ETag
// repeats. The package imports nothing else of Mintmark.
package admin

// Prefix begins the path of every route of the interface.
const Prefix = "/admin/v1/"
