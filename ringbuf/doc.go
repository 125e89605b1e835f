// Package ringbuf carries messages from one rank to another through slots in
// the receiver's LLCM. It holds one ring end each: a [Sender] and a
// [Receiver] for every ordered pair of ranks.
//
// A slot has a number, and that number links four areas (spec/20):
//
//	area              lives at  unit                written by  with
//	header receive    receiver  16 B                sender      2 AOTF
//	data receive      receiver  up to 4096 B        sender      BOTFs
//	send-complete     receiver  1 byte              sender      AOTF
//	receive-complete  sender    1 byte              receiver    AOTF
//
// A flag is not set and cleared: it holds the lap of the ring in which it was
// last written. So "mark the own receive-complete flag not yet", step 4 of the
// paper, costs no write: the sender begins a new lap and expects another value.
//
// On real ports a receiver may be lazy ([Receiver.SetLazy]): it gives back half a ring at a
// time, so that who takes a page over need not send anything before it computes.
//
// Neither end waits. When a step returns false, nothing happened; dimmnet.Drive
// waits for all ends of a node at once.
//
// A [Layout] has rings for all pairs of ranks, or only for the neighbours in a
// [Tree], which fit an LLCM whatever the number of ranks.
//
// The number of slots of a pair follows from the size of the LLCM. When whole
// pages no longer fit twice, slots shrink, and data go in smaller pieces.
package ringbuf
