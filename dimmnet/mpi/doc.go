// Package mpi is MPI-2 on any port: messages with tags and wildcards, communicators, data types,
// collectives and windows, by the eager and rendezvous protocols of spec/40.
//
//	err := mpi.Run(h, mpi.Options{}, func(c *mpi.Comm) error {
//		if c.Rank() == 0 {
//			return c.Send(mpi.Raw(row), 1, tag)
//		}
//		s, err := c.Recv(mpi.Raw(row), mpi.AnySource, mpi.AnyTag)
//		...
//	})
//
// It is not a binding of MPI's C or Fortran interface, and starts no processes: the network
// does. docs/mpi.md lists what is left out.
//
// # Protocol
//
// Every message has an envelope: context, rank, tag and size. One of up to Options.Eager
// bytes follows its envelope in the ring to the receiver, and the sender goes on. A longer one
// waits for its receiver:
//
//	eager                          rendezvous
//	sender        receiver         sender        receiver
//	  | eager send   |               |     RTS      |
//	  |    + data    |               | -----------> | a receive fits
//	  | -----------> |               |     CTS      |
//	                                 | <----------- | destinations
//	                                 |     data     |
//	                                 | ===========> |
//	                                 |     FTS      |
//	                                 | -----------> | complete
//
// Requests sit in three queues: what is to be sent, for each rank; receives posted; and messages
// that came unexpected. A receive looks through the unexpected ones first, a message through the
// receives: in both the first that fits is taken, so messages of a pair do not overtake each other.
//
// A rank makes progress, also for its peers, while it is in a call of this package, and only
// then. All waiting is in dimmnet.Drive: a run whose ranks all wait fails as the network finds
// out, and one whose context ends fails with that.
//
// # Links
//
// Below is a [Link]. The one that is here has in every LLCM a ring for each rank; what
// is written to destinations goes through the ring in pieces. A ring that is full stops its
// sender; it is never overwritten, since an engine always empties what has come, unexpected
// messages into memory of their own.
//
// # Errors
//
// A bad rank, tag, buffer or request gives an error and changes nothing. Parts of a collective
// that differ in length, bytes from the wire that make no sense and a run that fails are
// for good: every call returns that error from then on. ErrTruncated concerns one message.
//
// # Limits
//
// A message has at most 2 GiB - 1 bytes, a tag 30 bits. There are 2^30 communicators and
// windows in the life of a rank; contexts are not used again. A ring takes at least 512 bytes of
// LLCM: on DIMMnet-1 there is room for 248 ranks.
package mpi
