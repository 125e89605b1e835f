package sendrecv

import "github.com/fagus-dsm/fagus/dimmnet"

// receiver is the dimmnet.Stepper of a Recv. Each method named as its stage does
// one thing: a poll, a post or a buffer.
//
//	open -> [await -> drain -> reply]...                       the sender moves the data
//	   \
//	   begin -> [announce] -> [pull -> notice -> drain -> awaitAgain]...
type receiver struct {
	call
	stage func(*receiver) (progress bool, err error)

	length     int // of a message that is pulled
	roundBytes int
	from       dimmnet.Offset // where the round lies, for drain
	drained    func(*receiver) (progress bool, err error)
	means      *uint64
}

func newReceiver(e *Endpoint, src dimmnet.Rank, p []byte) *receiver {
	return &receiver{call: newCall(e, src, p), stage: (*receiver).open}
}

func (r *receiver) Step() (progress bool, err error) { return r.stage(r) }

// open looks for the sender, and if it has not come says that the receiver is
// first. That decides the message: from now on the receiver does not pull it,
// whether or not the sender has come first as well.
func (r *receiver) open() (bool, error) {
	w, arrived, err := r.look()
	switch {
	case err != nil:
		return false, err
	case arrived && w.kind == sendReady:
		return r.begin(w)
	case arrived && w.kind == recvReady:
		r.stage = (*receiver).tellClash
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

// tellClash says what the peer needs to find the clash as well.
func (r *receiver) tellClash() (bool, error) {
	if !r.postReady() {
		return false, nil
	}
	return true, r.clash()
}

// await waits for the notice that a round is here.
func (r *receiver) await() (bool, error) {
	w, arrived, err := r.look()
	if err != nil || !arrived {
		return false, err
	}
	switch {
	case w.kind == block || w.kind == pushed:
		if r.round > 0 && w.round == r.tag(r.round-1) {
			return false, nil // the notice before
		}
		return r.takeNotice(w)
	case r.round > 0:
	case w.kind == sendReady: // both have come first
		return false, nil
	case w.kind == tooLong:
		return false, r.long(r.peer, r.e.port.Rank(), uint64(w.value), uint64(len(r.p)))
	case w.kind == recvReady:
		return false, r.clash()
	}
	return false, r.broken(w)
}

// takeNotice checks the notice of a round against the areas and the room.
func (r *receiver) takeNotice(w word) (bool, error) {
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

// drain reads a buffer of the round. After the last one it ends the message, or
// goes on with the stage drained.
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

// reply says that the areas are free for the next round.
func (r *receiver) reply() (bool, error) {
	if !r.post(word{kind: again, round: r.tag(r.round - 1)}) {
		return false, nil
	}
	r.stage = (*receiver).await
	return true, nil
}
