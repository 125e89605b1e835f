package sendrecv

import "github.com/fagus-dsm/fagus/dimmnet"

// This file has the stages of a message whose sender comes first: the receiver pulls it.

func (r *receiver) begin(ready word) (bool, error) {
	r.length = int(ready.value)
	if r.length > len(r.p) {
		r.stage = (*receiver).refuse
		return true, nil
	}
	r.means = &r.e.stats.Pull
	r.roundBytes = min(r.e.layout.areaBytes(), throughBuffer(ready.buffer))
	r.divide(r.length, r.roundBytes)
	if r.rounds > 1 {
		r.stage = (*receiver).announce
	} else {
		r.beginRound()
	}
	return true, nil
}

func (r *receiver) refuse() (bool, error) {
	if !r.post(word{kind: tooLong, value: uint32(len(r.p))}) {
		return false, nil
	}
	return true, r.long(r.peer, r.e.port.Rank(), uint64(r.length), uint64(len(r.p)))
}

func (r *receiver) announce() (bool, error) {
	if !r.postRounds() {
		return false, nil
	}
	r.beginRound()
	return true, nil
}

func (r *receiver) beginRound() {
	r.n = min(r.length-r.pos, r.roundBytes)
	r.stage = (*receiver).pull
	if r.n == 0 {
		r.stage = (*receiver).notice
	}
}

func (r *receiver) pull() (bool, error) {
	progress, err := r.carry(func(own, peers dimmnet.Offset, n int) bool {
		return r.e.port.Pull(r.peer, peers, own, n, r.e.layout.done())
	})
	if r.at == r.n {
		r.stage = (*receiver).notice
	}
	return progress, err
}

// notice reports to the sender that a round has left its area. It goes before this host reads
// the round, so that both hosts work at the same time.
func (r *receiver) notice() (bool, error) {
	if !r.post(word{kind: pulled, round: r.tag(r.round), buffer: lastBuffer(r.n), value: uint32(r.n)}) {
		return false, nil
	}
	if r.n > 0 {
		r.e.port.Flip()
	}
	r.from, r.at = r.e.layout.area(r.e.port.Rank(), r.peer), 0
	r.stage, r.drained = (*receiver).drain, (*receiver).awaitAgain
	return true, nil
}

// awaitAgain waits until the sender has filled its area with the next round.
func (r *receiver) awaitAgain() (bool, error) {
	arrived, err := r.pollAgain(sendReady)
	if arrived {
		r.beginRound()
	}
	return arrived, err
}

// handleNotice ends the message or prepares the next round: one has left the sender's area.
func (s *sender) handleNotice(w word) (bool, error) {
	if s.round == 0 {
		if err := s.learnRounds(w); err != nil {
			return false, err
		}
	}
	n := int(w.value)
	last := n == len(s.p)-s.pos
	if w.round != s.tag(s.round) || w.buffer != lastBuffer(n) || uint64(w.value) > uint64(s.n) ||
		n == 0 && len(s.p) > 0 || last != (s.round == s.rounds-1) {
		return false, s.broken(w)
	}
	s.n = n
	if s.next() {
		s.n = s.chunk()
		s.resetFill()
		s.stage = (*sender).refill
		return true, nil
	}
	s.e.stats.Sent++
	s.finish(&s.e.stats.Pull)
	return true, nil
}

func (s *sender) refill() (bool, error) {
	s.fill()
	if s.staged {
		s.stage = (*sender).reply
	}
	return true, nil
}

func (s *sender) reply() (bool, error) {
	if !s.post(word{kind: again, round: s.tag(s.round - 1)}) {
		return false, nil
	}
	s.stage = (*sender).awaitPull
	return true, nil
}

func (s *sender) awaitPull() (bool, error) {
	w, arrived, err := s.poll()
	switch {
	case err != nil || !arrived:
		return false, err
	case w.kind != pulled:
		return false, s.broken(w)
	case w.round == s.tag(s.round-1):
		return false, nil // the previous notice
	}
	return s.handleNotice(w)
}
