package porttest

import (
	"fmt"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// The ways bytes get to a peer.
const (
	kindStore = iota
	kindWrite
	kindPush
	kinds
)

// post is one of the posts of a round: size bytes at off of the area, and, for a
// Push, from src of the stage.
type post struct {
	kind      int
	off, size int
	src       int
	key       uint64
}

// orderTest has the layout of the order test: an area that the previous rank
// writes, and a stage to push from.
type orderTest struct {
	seed   uint64
	limits dimmnet.Limits
	length int // of area and stage
	rdma   int // largest Push; 0: none
}

const (
	maxPosts     = 8
	roundsAStage = 8
)

func newOrderTest(e *env, l dimmnet.Limits) *orderTest {
	length := min((l.LLCM-int(dataStart))/2, 2*l.Block+256) / word * word
	return &orderTest{seed: e.seed, limits: l, length: length, rdma: min(l.RDMA, length/2)}
}

func (o *orderTest) area() dimmnet.Offset  { return dataStart }
func (o *orderTest) stage() dimmnet.Offset { return dataStart + dimmnet.Offset(o.length) }

// staged is what rank has on its stage in a round.
func (o *orderTest) staged(rank dimmnet.Rank, round int) []byte {
	return noise(o.seed+uint64(rank)<<16+uint64(round/roundsAStage), o.length)
}

// posts are what rank sends in a round. They overlap, so that what lies on top
// tells which came last. The first two go through all pairs of kinds.
func (o *orderTest) posts(rank dimmnet.Rank, round int) []post {
	r := rand.New(rand.NewPCG(o.seed, uint64(rank)<<32+uint64(round)))
	list := make([]post, 2+r.IntN(maxPosts-1))
	centre := r.IntN(o.length)
	for i := range list {
		kind := r.IntN(kinds)
		switch i {
		case 0:
			kind = round % kinds
		case 1:
			kind = round / kinds % kinds
		}
		if kind == kindPush && o.rdma == 0 {
			kind = kindWrite
		}
		list[i] = o.post(r, kind, centre)
	}
	return list
}

// post is a random post that covers centre.
func (o *orderTest) post(r *rand.Rand, kind, centre int) post {
	p := post{kind: kind, key: r.Uint64()}
	limit := o.limits.Block
	switch kind {
	case kindStore:
		// Aligned to a power of two, so that it crosses no word.
		limit = 1 << r.IntN(4)
		for limit > o.limits.Store {
			limit /= 2
		}
		p.size, p.off = limit, centre/limit*limit
		return p
	case kindPush:
		limit = o.rdma
	}
	switch r.IntN(4) {
	case 0:
		p.size = 1
	case 1:
		p.size = limit
	default:
		p.size = 1 + r.IntN(limit)
	}
	lo, hi := max(0, centre-p.size+1), min(o.length-p.size, centre)
	p.off = lo + r.IntN(hi-lo+1)
	if kind == kindPush {
		p.src = r.IntN(o.length - p.size + 1)
	}
	return p
}

// content is what p puts at its place, given what is on the sender's stage.
func (p post) content(staged []byte) []byte {
	switch p.kind {
	case kindStore:
		return littleEndian(p.key, p.size)
	case kindPush:
		return staged[p.src : p.src+p.size]
	}
	return noise(p.key, p.size)
}

// send posts p to the next rank.
func (o *orderTest) send(t *thread, p post, done dimmnet.Offset) error {
	to := o.area() + dimmnet.Offset(p.off)
	switch p.kind {
	case kindStore:
		return t.post(func() bool { return t.Store(t.next, to, p.key, p.size) })
	case kindPush:
		from := o.stage() + dimmnet.Offset(p.src)
		return t.post(func() bool { return t.Push(t.next, from, to, p.size, done) })
	}
	content := p.content(nil)
	return t.post(func() bool { return t.Write(t.next, to, content) })
}

// checkOrder: what one rank posts to another lands in the order posted, whatever
// the methods. When the flag is there all that precedes it is, the later post on
// top of the earlier.
func checkOrder(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		o := newOrderTest(e, t.limits)
		model := make([]byte, o.length)
		for round := range e.rounds(450) {
			if err := o.round(t, round, model); err != nil {
				return err
			}
		}
		return nil
	})
}

// round is a round of the ring. model is what the previous rank has made of the
// own area.
func (o *orderTest) round(t *thread, round int, model []byte) error {
	mine := o.posts(t.me, round)
	done := func(i int) dimmnet.Offset { return flagDone + dimmnet.Offset(i*word) }
	if round%roundsAStage == 0 && o.rdma > 0 {
		if err := t.stage(o.stage(), o.staged(t.me, round)); err != nil {
			return err
		}
	}
	err := t.exchange(
		func() error {
			for i, p := range mine {
				if err := o.send(t, p, done(i)); err != nil {
					return err
				}
			}
			return nil
		},
		func() error {
			theirs, staged := o.posts(t.prev, round), o.staged(t.prev, round)
			for _, p := range theirs {
				copy(model[p.off:], p.content(staged))
			}
			return t.expect(fmt.Sprintf("round %d, posts %+v", round, theirs), o.area(), model)
		})
	if err != nil {
		return err
	}
	for i, p := range mine {
		if p.kind == kindPush {
			if err := t.finished(done(i), p.size); err != nil {
				return err
			}
		}
	}
	return nil
}
