package mpi

import "github.com/fagus-dsm/fagus/dimmnet"

// Link is what MPI needs of a network: an ordered, reliable, flow-controlled connection to every
// rank, the own one included, and writes to places that a receiver has named. It belongs to one
// thread. Nothing in it waits.
//
// Packets, and writes, of one rank to another take effect in the order begun. One is under way to
// a rank at a time; Send and Write begin one, or return false when they cannot: the last one
// still is under way, or, for Send, the ring is full. Nothing happened then. A ring is never
// overwritten. Methods read the same words in the same order as long as nothing changes
// (dimmnet.Stepper).
type Link interface {
	// Block is how much data may follow a control packet at most: at least 64 bytes.
	Block() int
	// Send begins to append a packet and the data behind it, which rest until Busy says no,
	// to the own ring at dst. c.Data() is len(data).
	Send(dst dimmnet.Rank, c *Control, data []byte) (begun bool)
	// Write begins to write data, which rest until Busy says no, to places that dst has exposed
	// to this rank: together they have its length. A Send begun later arrives when all of it has
	// been written.
	Write(dst dimmnet.Rank, to []Destination, data []byte) (begun bool)
	// Busy says whether what was begun is still under way to dst.
	Busy(dst dimmnet.Rank) bool
	// Expose makes p, at least 1 byte, what src may write to, once, from front to end. A list
	// of destinations fits the data of a packet.
	Expose(src dimmnet.Rank, p []byte) ([]Destination, error)
	// Conceal ends that; src has said that it has written all. The bytes are in p.
	Conceal(src dimmnet.Rank, to []Destination) error
	// Poll returns the oldest packet in src's ring, if Step has found one.
	Poll(src dimmnet.Rank) (c Control, found bool)
	// Take copies the data behind the packet that Poll has found to p, which has c.Data()
	// bytes, and frees its place.
	Take(src dimmnet.Rank, p []byte)
	// Step moves on what is under way, looks for packets, and gives places in rings back. An
	// error means that a peer broke the rules; it is for good.
	Step() (progress bool, err error)
}
