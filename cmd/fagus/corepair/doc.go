// Package corepair says how far two processors are from each other: what it takes to bring a
// cache line there and back.
//
//	took, err := corepair.RoundTrip(0, 1)
//
// Virtual processors move: a pair may be neighbours now, and on two sockets in a second. All
// that two processes do with each other follows it, so a figure means nothing without. It needs
// Linux, and two processors that have nothing else to do.
package corepair
