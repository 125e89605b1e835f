package mpi

import "github.com/fagus-dsm/fagus/dimmnet"

// Link is the part of a network that MPI uses: an ordered, reliable, flow-controlled connection to
// every rank, including the rank itself, and writes to memory that a receiver has exposed. Only
// one thread may use a Link. No method waits.
//
// Packets and writes from one rank to another take effect in the order begun. Between two ranks,
// one packet or write is in progress at a time. Send and Write begin one, or return false without
// an effect: while another is in progress or, for Send, if the ring is full. A ring is never
// overwritten. While nothing changes, methods read the same words in the same order
// (dimmnet.Stepper).
type Link interface {
	// Block returns the largest number of data bytes in a packet, at least 64.
	Block() int
	// Send begins to send a packet and its data to dst. data must not change until Busy returns
	// false. c.Data() equals len(data).
	Send(dst dimmnet.Rank, c *Control, data []byte) (begun bool)
	// Write begins to write data to destinations that dst has exposed to this rank; their sizes
	// add up to len(data). data must rest until Busy returns false. A later packet lands later.
	Write(dst dimmnet.Rank, to []Destination, data []byte) (begun bool)
	// Busy reports whether a packet or write to dst is in progress.
	Busy(dst dimmnet.Rank) bool
	// Expose lets src write to p, of at least 1 byte, once and from front to end. The list of
	// destinations fits into the data of a packet.
	Expose(src dimmnet.Rank, p []byte) ([]Destination, error)
	// Conceal ends the exposure, after src has reported that all is written. p then holds the
	// data.
	Conceal(src dimmnet.Rank, to []Destination) error
	// Poll returns the oldest packet from src, if Step has found one.
	Poll(src dimmnet.Rank) (c Control, found bool)
	// Consume copies the data of the packet that Poll returned to p, which has c.Data() bytes or
	// is nil, and frees the packet.
	Consume(src dimmnet.Rank, p []byte)
	// Step advances packets and writes in progress, polls for packets and returns ring space to
	// senders. An error is a peer's protocol violation, and final.
	Step() (progress bool, err error)
}
