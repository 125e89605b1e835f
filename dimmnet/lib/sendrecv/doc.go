// Package sendrecv implements DIMM_Send and DIMM_Recv of DIMMnet-1: blocking, standard-mode,
// untagged messages between ranks (docs/lab/papers.md, DIMM_Send and DIMM_Recv). It runs on any
// port that has RDMA and bulk memory.
//
//	e, err := sendrecv.New(h.Port(), sendrecv.Config{})
//	if h.Port().Rank() == 0 {
//		err = e.Send(1, data)
//	} else {
//		n, err = e.Recv(0, buf)
//	}
//
// It is not MPI: it has no tags, wildcard sources, non-blocking calls or collectives. Messages
// are not buffered: a Send waits for the matching Recv. A circle of ranks that all send first
// deadlocks until the port detects it. A circle of two is an error, ErrClash.
//
// # Areas
//
// Each rank has for each peer:
//
//	area     lives in  size            written by
//	flag     LLCM      2 x 1 word      the peer, AOTF: its readiness, notices, replies
//	rounds   LLCM      2 x 1 word      the peer, AOTF: the number of rounds
//	landing  LLCM      Config.BOTF     the peer, BOTFs
//	receive  bulk      256 x 4 KB      a peer's PUSH, the rank's PULL or, to send, its host
//
// A rank also has one done word for its RDMA. A word holds the kind, the group id, the message's
// number in the pair, the round, a buffer and a length. The paper stores these as separate
// fields; here one AOTF stores all of them. The paper names at most 255 buffers, because buffer
// 0 means none. Here the kind of the word implies it, so all 256 have a name.
//
// With many peers the areas shrink by whole blocks and buffers. A message longer than an area
// takes several rounds. Messages up to Config.BOTF bytes go by BOTF, and those longer than a
// block take several BOTFs.
//
// # Protocol
//
// The rank that comes first stores its readiness in the other's flag area. The rank that comes
// second finds it there and moves the data. Steps in brackets occur only if the message takes
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
// Neither rank waits for a reply to the last round. The second rank compares the message's
// length with the receive buffer. If the message is too long, it stores tooLong instead of
// moving data, and both calls return ErrTooLong.
//
// If both ranks come first, each stores its readiness before the other's lands. The receiver's
// readiness decides: a receiver that has stored it ignores the sender's and waits for the data.
// The sender polls for the receiver's readiness until its data is pulled. So it finds the
// readiness and continues as if it had come second. It pushes the data that it has already put
// into bulk memory.
//
// # Why a flag is never overwritten before it was read
//
// The messages of a pair are numbered, whatever their direction. Even and odd numbers have
// separate halves of the flag area. Within a message each word answers the peer's last one, with
// two exceptions: a sender's readiness that crosses the receiver's (see above), and the number of
// rounds, which is announced once in a word of its own. A call k+1 ends only after a word of the
// peer's call k+1, which the peer stores after its call k has ended. So when a rank stores the
// first word of call k+2 into the half of call k, the peer has finished call k. The number in a
// word distinguishes call k from call k-2.
//
// # Why banks never flip during a peer's access
//
// A peer accesses a rank's bulk memory only with the rank's permission: recvReady or again permits
// a PUSH, sendReady or again a PULL. The peer's notice ends the permission, and is posted after
// the ACK of the peer's RDMA. A rank flips its banks, and posts its own RDMA, only before it
// permits an access or after the notice. A receiver that ignores a crossing sendReady does not use
// it as a permission. A rank permits accesses only to the peer that its call names, and only until
// the call returns, so at most one peer accesses its bulk memory at any time. The exception is a
// call that fails because of a protocol error, after which the Endpoint is unusable.
//
// # Limits
//
// A message has at most 2 GiB - 1 bytes. On DIMMnet-1 a peer takes 32 bytes of flags and a
// landing area of 464 bytes, so the LLCM serves 265 ranks (4096 without BOTF), and a bank of 256
// MB holds the full receive areas of 257 ranks.
package sendrecv
