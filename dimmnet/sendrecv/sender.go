package sendrecv

import "github.com/fagus-dsm/fagus/dimmnet"

// sender is the dimmnet.Stepper of a Send. Each method named as its stage does
// one thing: a poll, a post or a buffer.
//
//	open -> await -> [refill -> reply -> awaitPull]...        the receiver pulls
//	   \     /
//	   begin -> [announce] -> [write | push -> notice -> awaitAgain]...
type sender struct {
	call
	stage func(*sender) (progress bool, err error)

	room       uint64 // of a receiver that has come first
	roundBytes int
	byBOTF     bool
	filled     int  // bytes of this round on the host's side
	staged     bool // they are on the network's side
}

func newSender(e *Endpoint, dst dimmnet.Rank, p []byte) *sender {
	s := &sender{call: newCall(e, dst, p), stage: (*sender).open, staged: len(p) == 0}
	s.n = s.chunk()
	return s
}

// chunk is how much of what is left goes into bulk memory at once.
func (s *sender) chunk() int { return min(len(s.p)-s.pos, s.e.layout.areaBytes()) }

func (s *sender) Step() (progress bool, err error) { return s.stage(s) }

// open looks for the receiver. While it has not come, it prepares for its PULL,
// a buffer a step, and then says that the sender has come first.
func (s *sender) open() (bool, error) {
	w, arrived, err := s.look()
	switch {
	case err != nil:
		return false, err
	case arrived && w.kind == recvReady:
		return s.begin(w)
	case arrived && w.kind == sendReady:
		s.stage = (*sender).tellClash
		return true, nil
	case arrived:
		return false, s.broken(w)
	case !s.staged:
		s.fill()
		return true, nil
	case !s.postReady():
		return false, nil
	}
	s.stage = (*sender).await
	return true, nil
}

func (s *sender) postReady() bool {
	return s.post(word{kind: sendReady, buffer: uint8(s.e.layout.buffers - 1), value: uint32(len(s.p))})
}

// await waits for what the receiver does. If its readiness arrives now, both
// have come first: it has not seen this sender's, and will not pull.
func (s *sender) await() (bool, error) {
	w, arrived, err := s.look()
	if err != nil || !arrived {
		return false, err
	}
	switch w.kind {
	case recvReady:
		return s.begin(w)
	case pulled:
		return s.takeNotice(w)
	case tooLong:
		return false, s.long(s.e.port.Rank(), s.peer, uint64(len(s.p)), uint64(w.value))
	case sendReady:
		return false, s.clash()
	}
	return false, s.broken(w)
}

// tellClash says what the peer needs to find the clash as well.
func (s *sender) tellClash() (bool, error) {
	if !s.postReady() {
		return false, nil
	}
	return true, s.clash()
}

// fill puts a buffer of the round into bulk memory, and flips it when all are in.
func (s *sender) fill() {
	if s.filled < s.n {
		piece := s.p[s.pos+s.filled : s.pos+min(s.filled+bufferBytes, s.n)]
		s.e.port.Fill(s.e.layout.area(s.e.port.Rank(), s.peer)+dimmnet.Offset(s.filled), piece)
		s.filled += len(piece)
	}
	if s.filled >= s.n {
		s.e.port.Flip()
		s.staged = true
	}
}

// unfill begins another round in bulk memory.
func (s *sender) unfill() { s.filled, s.staged = 0, false }
