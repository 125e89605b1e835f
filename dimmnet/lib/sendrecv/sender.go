package sendrecv

import "github.com/fagus-dsm/fagus/dimmnet"

// sender is the dimmnet.Stepper of a Send. Each stage is a method that does one poll, one post
// or one buffer:
//
//	open -> await -> [refill -> reply -> awaitPull]...        the receiver pulls
//	   \     /
//	   begin -> [announce] -> [write | push -> notice -> awaitAgain]...
type sender struct {
	call
	stage func(*sender) (progress bool, err error)

	capacity   uint64 // size of the receive buffer, if the receiver is first
	roundBytes int
	byBOTF     bool
	filled     int  // bytes of this round filled into bulk memory
	staged     bool // all of them are filled, and the banks are flipped
}

func newSender(e *Endpoint, dst dimmnet.Rank, p []byte) *sender {
	s := &sender{call: newCall(e, dst, p), stage: (*sender).open, staged: len(p) == 0}
	s.n = s.chunk()
	return s
}

// chunk returns how much of the rest goes into bulk memory at once.
func (s *sender) chunk() int { return min(len(s.p)-s.pos, s.e.layout.areaBytes()) }

func (s *sender) Step() (progress bool, err error) { return s.stage(s) }

// open polls for the receiver's readiness. Until it arrives, open fills bulk memory for a PULL,
// one buffer in a step, and then posts the sender's own readiness.
func (s *sender) open() (bool, error) {
	w, arrived, err := s.poll()
	switch {
	case err != nil:
		return false, err
	case arrived && w.kind == recvReady:
		return s.begin(w)
	case arrived && w.kind == sendReady:
		s.stage = (*sender).reportClash
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

// await waits for the receiver. If the receiver's readiness arrives now, both ranks are first:
// the receiver has not seen this rank's readiness and will not pull.
func (s *sender) await() (bool, error) {
	w, arrived, err := s.poll()
	if err != nil || !arrived {
		return false, err
	}
	switch w.kind {
	case recvReady:
		return s.begin(w)
	case pulled:
		return s.handleNotice(w)
	case tooLong:
		return false, s.long(s.e.port.Rank(), s.peer, uint64(len(s.p)), uint64(w.value))
	case sendReady:
		return false, s.clash()
	}
	return false, s.broken(w)
}

// reportClash posts the readiness by which the peer detects the clash, too.
func (s *sender) reportClash() (bool, error) {
	if !s.postReady() {
		return false, nil
	}
	return true, s.clash()
}

// fill writes a buffer of the round into bulk memory. It flips the banks after the last one.
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

func (s *sender) resetFill() { s.filled, s.staged = 0, false }
