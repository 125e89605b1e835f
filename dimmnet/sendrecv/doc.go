// Package sendrecv is DIMM_Send and DIMM_Recv of DIMMnet-1 (spec/30): blocking,
// standard-mode, untagged messages between ranks, on any port that has RDMA and
// bulk memory.
//
//	e, err := sendrecv.New(h.Port(), sendrecv.Config{})
//	if h.Port().Rank() == 0 {
//		err = e.Send(1, data)
//	} else {
//		n, err = e.Recv(0, buf)
//	}
//
// It is not MPI: no tags, no wildcard source, nothing that returns before its
// peer has come, no collectives. Nothing is buffered: a Send waits for the Recv
// that names it, and a circle of ranks that all send first waits until the port
// finds that out. Only a circle of two is an error here, ErrClash.
//
// # Areas
//
// Each rank has for each peer:
//
//	area     lives in  size            written by
//	flag     LLCM      2 x 1 word      the peer, AOTF: its readiness, notices, replies
//	rounds   LLCM      2 x 1 word      the peer, AOTF: how many rounds follow
//	landing  LLCM      Config.BOTF     the peer, BOTFs
//	receive  bulk      256 x 4 KB      the peer's PUSH or the own PULL; as a sender, the own host
//
// and one done word for its own RDMA. A word names direction, group id, the
// number of the message in the pair, the round, a buffer, and a length. The paper
// has the flag, the free buffers, the buffers used, the group id and the buffer's
// name as fields of their own; here one word holds what one AOTF says. With its
// 256 buffers and a byte to name one, the paper must leave out a buffer, as its 0
// means none; here the kind of the word says that.
//
// Areas shrink in whole blocks and buffers when there are many peers; messages
// longer than an area go in rounds. Config's BOTF decides how they go; what is
// longer than a block goes as several.
//
// # Protocol
//
// Who comes first stores its readiness in the other's flag area; who comes second
// finds it there and moves the data. In brackets: only when the message takes
// several rounds.
//
//	   receiver first                           sender first
//	sender        receiver                sender          receiver
//	  |   recvReady  |                 fill, flip             |
//	  | <----------- |                      |    sendReady    |
//	  |   [rounds]   |                      | --------------> |
//	  | -----------> |                      |     [rounds]    |
//	fill, flip       |                      | <-------------- |
//	  |  PUSH, or    |                      |      PULL       |
//	  |  BOTFs       |                      | ==============> |
//	  | ===========> |                      |     pulled      |
//	ACK of PUSH      |                      | <-------------- ACK
//	  | pushed/block |                 [fill, flip]       flip, read
//	  | -----------> |                      |     [again]     |
//	  |          flip, read                 | --------------> |
//	  |   [again]    |                      |     [PULL]      |
//	  | <----------- |                      | ==============> |
//
// Neither waits for a reply to the last round. The receiver compares the lengths
// if the sender was first, else the sender does; who finds the message too
// long stores that instead of moving it, so both get ErrTooLong.
//
// If both come first at the same time, each has stored its readiness before the
// other's landed. The receiver's decides: once it has stored its own, it does not
// look for the sender's any more, and waits for the data. The sender looks for
// the receiver's as long as nothing has been pulled, so it finds it, and goes
// on as if it had come second. What it has put into bulk memory it pushes.
//
// # Why no flag is overwritten before it was read
//
// Messages of a pair, whatever their direction, are numbered, and even and odd
// ones have halves of their own in the flag area. Within a message each word is
// an answer to the other's last one, with one exception: a sender's readiness
// that the receiver passes over, as said above. (The rounds are announced once,
// before the first notice, in a word of their own.) Nobody ends call k+1 of a pair
// without a word of the other's call k+1, which that one stores only after its
// call k has ended: so when a rank stores the first word of call k+2 into the
// half of call k, the other is done with it. A word of call k is told from the
// one left by call k-2 by its number.
//
// # Why nothing is flipped while a peer is at it
//
// A peer touches a rank's bulk memory only by leave, which is recvReady or again
// (to push) and sendReady or again (to pull), and until its notice, which it posts
// when its ACK has come. A rank flips before it gives leave or after the notice,
// and its own RDMA only by turns with that. An unused sendReady is no leave: who
// passed it over does not pull. A rank gives leave only to the peer that its call
// names and takes it back before the call returns, so at most one peer is at its
// bulk memory at any time. The only exception is a call that fails because a
// word made no sense: then the Endpoint is of no more use.
//
// # Limits
//
// A message has at most 2 GiB - 1 bytes. On DIMMnet-1, where a peer takes 32 bytes
// of flags and 464 of landing area, the LLCM serves 265 ranks (4096 without BOTF),
// and a bank of 256 MB holds the full receive areas of 257.
package sendrecv
