package sendrecv

import "github.com/fagus-dsm/fagus/dimmnet"

// Stages of a sender whose receiver comes first or at the same time: the sender moves the data.

func (s *sender) begin(ready word) (bool, error) {
	length := len(s.p)
	s.capacity = uint64(ready.value)
	if uint64(length) > s.capacity {
		s.stage = (*sender).refuse
		return true, nil
	}
	s.byBOTF = length <= s.e.botf || length == 0
	s.roundBytes = min(s.e.layout.areaBytes(), throughBuffer(ready.buffer))
	if s.byBOTF {
		s.roundBytes = s.e.layout.landing
	}
	s.divide(length, s.roundBytes)
	s.n = min(length, s.roundBytes)
	if s.rounds > 1 {
		s.stage = (*sender).announce
	} else {
		s.stage = s.mover()
	}
	return true, nil
}

func (s *sender) refuse() (bool, error) {
	if !s.post(word{kind: tooLong, value: uint32(len(s.p))}) {
		return false, nil
	}
	return true, s.long(s.e.port.Rank(), s.peer, uint64(len(s.p)), s.capacity)
}

func (s *sender) announce() (bool, error) {
	if !s.postRounds() {
		return false, nil
	}
	s.stage = s.mover()
	return true, nil
}

func (s *sender) mover() func(*sender) (bool, error) {
	switch {
	case s.n == 0:
		return (*sender).notice
	case s.byBOTF:
		return (*sender).write
	case s.staged: // filled for a PULL that will not come
		return (*sender).push
	}
	return (*sender).prepare
}

// write posts a block of the round. The port alternates its windows.
func (s *sender) write() (bool, error) {
	piece := s.p[s.pos+s.at : s.pos+min(s.at+s.e.limits.Block, s.n)]
	if !s.e.port.Write(s.peer, s.e.layout.land(s.peer, s.e.port.Rank())+dimmnet.Offset(s.at), piece) {
		return false, nil
	}
	if s.at += len(piece); s.at == s.n {
		s.stage = (*sender).notice
	}
	return true, nil
}

func (s *sender) prepare() (bool, error) {
	s.fill()
	if s.staged {
		s.stage = (*sender).push
	}
	return true, nil
}

func (s *sender) push() (bool, error) {
	progress, err := s.carry(func(own, peers dimmnet.Offset, n int) bool {
		return s.e.port.Push(s.peer, own, peers, n, s.e.layout.done())
	})
	if s.at == s.n {
		s.stage = (*sender).notice
	}
	return progress, err
}

// notice reports to the receiver that the data of a round has landed. It follows the data,
// because BOTFs land in order and a PUSH is already done.
func (s *sender) notice() (bool, error) {
	w := word{kind: pushed, round: s.tag(s.round), buffer: lastBuffer(s.n), value: uint32(s.n)}
	if s.byBOTF {
		w.kind, w.buffer = block, 0
	}
	if !s.post(w) {
		return false, nil
	}
	if s.next() {
		s.stage = (*sender).awaitAgain
		return true, nil
	}
	// The last round needs no reply: the receiver's next readiness says that its areas are free.
	s.e.stats.Sent++
	if s.byBOTF {
		s.finish(&s.e.stats.BOTF)
	} else {
		s.finish(&s.e.stats.Push)
	}
	return true, nil
}

func (s *sender) awaitAgain() (bool, error) {
	arrived, err := s.pollAgain(recvReady)
	if arrived {
		s.n = min(len(s.p)-s.pos, s.roundBytes)
		s.resetFill()
		s.stage = s.mover()
	}
	return arrived, err
}
