// Package corepair measures the distance of two processors: the round trip of a cache line.
//
//	took, err := corepair.RoundTrip(0, 1)
//
// Virtual processors move: a pair may be neighbours now and on two sockets a second later. The
// speed of communication between two processes depends on the distance, so a measurement without
// the distance means little. The package needs Linux, and two processors that are otherwise idle.
package corepair
