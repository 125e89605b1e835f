// Package meeting is the contract between package cluster and what lets the processes of several
// hosts find each other: package gossip. It is apart, because programs whose ranks are on one host
// need no such package.
package meeting
