// Package annals is the client of Annals, an audit log whose events form a hash chain that anyone can verify.
// It needs the standard library alone.
//
// [Client.Track] buffers an event and returns at once. Every route of the interface has a method, such as
// Events.Create. What track() does is in docs/sdk-contract.md of the repository.
package annals
