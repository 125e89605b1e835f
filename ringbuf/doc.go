// Package ringbuf carries messages from one rank to another through slots in the receiver's
// LLCM. Every ordered pair of ranks has a ring of slots, with a [Sender] at one end and a
// [Receiver] at the other.
//
// The number of a slot selects an entry in four areas (docs/lab/papers.md, Fagus, LLCM ring
// buffers):
//
//	area              lives at  unit                written by  with
//	header receive    receiver  16 B                sender      2 AOTF
//	data receive      receiver  up to 4096 B        sender      BOTFs
//	send-complete     receiver  1 byte              sender      AOTF
//	receive-complete  sender    1 byte              receiver    AOTF
//
// A flag is never cleared. It holds the number of the lap in which it was last written; a lap is
// one use of all slots of the ring. So step 4 of the papers, "mark the own receive-complete flag
// not yet", costs no write: in a new lap the sender expects another value.
//
// On live ports a receiver may be lazy ([Receiver.SetLazy]): it gives slots back half a ring at a
// time, so that it receives most messages without a Store.
//
// Neither end waits. A step that returns false has done nothing; dimmnet.Drive waits for all ends
// of a node at once.
//
// A [Layout] has rings for all pairs of ranks, or only for neighbours in a [Tree]. The rings of a
// tree fit an LLCM for any number of ranks. The size of the LLCM determines the number of slots of
// a pair. If two slots of a whole page do not fit, slots are smaller and data go in more pieces.
package ringbuf
