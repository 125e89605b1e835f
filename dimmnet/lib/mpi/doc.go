// Package mpi implements a part of MPI-2 on any port: messages with tags and wildcards,
// communicators, data types, collectives and windows. It uses the eager and rendezvous protocols
// of the DIMMnet-2 paper (docs/lab/papers.md, DIMMnet-2 and MPI, MPI on it).
//
//	err := mpi.Run(h, mpi.Options{}, func(c *mpi.Comm) error {
//		if c.Rank() == 0 {
//			return c.Send(mpi.Raw(row), 1, tag)
//		}
//		s, err := c.Recv(mpi.Raw(row), mpi.AnySource, mpi.AnyTag)
//		...
//	})
//
// It is not a binding of MPI's C or Fortran interface, and starts no processes; the network
// does. docs/reference/mpi.md lists what is left out.
//
// # Protocol
//
// Every message has an envelope: context, rank, tag and size. A message of up to Options.Eager
// bytes follows its envelope in the ring to the receiver, and the sender continues. A longer
// message waits for its receiver:
//
//	eager                          rendezvous
//	sender        receiver         sender        receiver
//	  | eager send   |               |     RTS      |
//	  |    + data    |               | -----------> | a receive matches
//	  | -----------> |               |     CTS      |
//	                                 | <----------- | destinations
//	                                 |     data     |
//	                                 | ===========> |
//	                                 |     FTS      |
//	                                 | -----------> | complete
//
// Requests are in three queues: packets to be sent, for each rank; posted receives; and
// unexpected messages. A new receive searches the unexpected messages, a new message the posted
// receives. Both take the first that matches, so messages of a pair do not overtake each other.
//
// A rank makes progress, for its peers too, only while it is in a call of this package. All
// waiting is in dimmnet.Drive: a run whose ranks all wait fails when the network detects the
// deadlock, and a run whose context ends fails with the context's error.
//
// # Links
//
// A [Link] carries the packets. The link of this package has a ring for each sender in every
// LLCM, and sends writes to destinations through the ring in pieces. A full ring stops its
// sender; it is never overwritten. The receiving engine empties its rings in every pass and
// copies unexpected messages to memory of their own.
//
// # Errors
//
// A bad rank, tag, buffer or request gives an error and changes nothing. A collective whose
// parts differ in length, a protocol violation on the wire and a failed run are final: every
// later call returns the same error. ErrTruncated concerns one message.
//
// # Limits
//
// A message has at most 2 GiB - 1 bytes, a tag 30 bits. A rank can create 2^30 communicators and
// windows, because contexts are not reused. A ring needs at least 512 bytes of LLCM, so
// DIMMnet-1 supports 248 ranks.
package mpi
