package sendrecv

import "github.com/fagus-dsm/fagus/dimmnet"

// receiver is the dimmnet.Stepper of a Recv. Each stage is a method that does one poll, one post
// or one buffer:
//
//	open -> [await -> drain -> reply]...                       the sender moves the data
//	   \
//	   begin -> [announce] -> [pull -> notice -> drain -> awaitAgain]...
type receiver struct {
	call
	stage func(*receiver) (progress bool, err error)

	length     int // length of the message, if it is pulled
	roundBytes int
	from       dimmnet.Offset // where drain reads the round
	drained    func(*receiver) (progress bool, err error)
	means      *uint64
}

func newReceiver(e *Endpoint, src dimmnet.Rank, p []byte) *receiver {
	return &receiver{call: newCall(e, src, p), stage: (*receiver).open}
}

func (r *receiver) Step() (progress bool, err error) { return r.stage(r) }

// open polls for the sender's readiness. If it has not arrived, open posts the receiver's own.
// The receiver then never pulls this message, even if the sender's readiness crosses its own.
func (r *receiver) open() (bool, error) {
	w, arrived, err := r.poll()
	switch {
	case err != nil:
		return false, err
	case arrived && w.kind == sendReady:
		return r.begin(w)
	case arrived && w.kind == recvReady:
		r.stage = (*receiver).reportClash
		return true, nil
	case arrived:
		return false, r.broken(w)
	case !r.postReady():
		return false, nil
	}
	r.stage = (*receiver).await
	return true, nil
}

func (r *receiver) postReady() bool {
	return r.post(word{kind: recvReady, buffer: uint8(r.e.layout.buffers - 1), value: uint32(min(len(r.p), MaxBytes))})
}

// reportClash posts the readiness by which the peer detects the clash, too.
func (r *receiver) reportClash() (bool, error) {
	if !r.postReady() {
		return false, nil
	}
	return true, r.clash()
}

func (r *receiver) await() (bool, error) {
	w, arrived, err := r.poll()
	if err != nil || !arrived {
		return false, err
	}
	switch {
	case w.kind == block || w.kind == pushed:
		if r.round > 0 && w.round == r.tag(r.round-1) {
			return false, nil // the previous notice
		}
		return r.handleNotice(w)
	case r.round > 0:
	case w.kind == sendReady: // both ranks are first
		return false, nil
	case w.kind == tooLong:
		return false, r.long(r.peer, r.e.port.Rank(), uint64(w.value), uint64(len(r.p)))
	case w.kind == recvReady:
		return false, r.clash()
	}
	return false, r.broken(w)
}

// handleNotice checks the notice of a round against the areas and the receive buffer.
func (r *receiver) handleNotice(w word) (bool, error) {
	if r.round == 0 {
		if err := r.learnRounds(w); err != nil {
			return false, err
		}
	}
	own, l := r.e.port.Rank(), &r.e.layout
	area, size, buffer := l.land(own, r.peer), l.landing, uint8(0)
	if w.kind == pushed {
		area, size, buffer = l.area(own, r.peer), l.areaBytes(), lastBuffer(int(w.value))
	}
	if w.round != r.tag(r.round) || w.buffer != buffer || int64(w.value) > int64(min(size, len(r.p)-r.pos)) ||
		w.value == 0 && (r.rounds > 1 || w.kind == pushed) {
		return false, r.broken(w)
	}
	r.means = &r.e.stats.BOTF
	if w.kind == pushed {
		r.means = &r.e.stats.Push
		r.e.port.Flip()
	}
	r.n, r.from = int(w.value), area
	r.stage, r.drained = (*receiver).drain, (*receiver).reply
	return true, nil
}

// drain reads a buffer of the round. After the last one it ends the message or goes on in drained.
func (r *receiver) drain() (bool, error) {
	if r.at < r.n {
		piece := r.p[r.pos+r.at : r.pos+min(r.at+bufferBytes, r.n)]
		r.e.port.Read(piece, r.from+dimmnet.Offset(r.at))
		r.at += len(piece)
	}
	if r.at < r.n {
		return true, nil
	}
	if r.next() {
		r.stage = r.drained
		return true, nil
	}
	r.e.stats.Received++
	r.finish(r.means)
	return true, nil
}

// reply reports that the areas are free for the next round.
func (r *receiver) reply() (bool, error) {
	if !r.post(word{kind: again, round: r.tag(r.round - 1)}) {
		return false, nil
	}
	r.stage = (*receiver).await
	return true, nil
}
