package porttest

import (
	"fmt"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
)

const (
	kindStore = iota
	kindWrite
	kindMulticast
	kinds
)

// post is one of the posts of a round: size bytes at off in the area.
type post struct {
	kind      int
	off, size int
	key       uint64
}

// orderTest posts at random to an area of length bytes at dataStart.
type orderTest struct {
	seed   uint64
	limits dimmnet.Limits
	length int
}

const maxPosts = 8

func newOrderTest(e *env, l dimmnet.Limits) *orderTest {
	length := min(l.LLCM-int(dataStart), 2*l.Block+256) / word * word
	return &orderTest{seed: e.seed, limits: l, length: length}
}

// posts returns the posts of rank in a round. The posts overlap, so the final bytes show which
// post came last. The first two posts go through all pairs of kinds.
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
		if kind == kindMulticast && o.limits.Multicast == 0 {
			kind = kindWrite
		}
		list[i] = o.post(r, kind, centre)
	}
	return list
}

// post returns a random post that covers the byte at centre.
func (o *orderTest) post(r *rand.Rand, kind, centre int) post {
	p := post{kind: kind, key: r.Uint64()}
	if kind != kindWrite {
		// Aligned to a power of two, so that the store crosses no word.
		p.size = 1 << r.IntN(4)
		for p.size > o.limits.Store {
			p.size /= 2
		}
		p.off = centre / p.size * p.size
		return p
	}
	switch r.IntN(4) {
	case 0:
		p.size = 1
	case 1:
		p.size = o.limits.Block
	default:
		p.size = 1 + r.IntN(o.limits.Block)
	}
	lo, hi := max(0, centre-p.size+1), min(o.length-p.size, centre)
	p.off = lo + r.IntN(hi-lo+1)
	return p
}

func (p post) content() []byte {
	if p.kind == kindWrite {
		return noise(p.key, p.size)
	}
	return littleEndian(p.key, p.size)
}

// send posts p to dsts. If p is not a Multicast, dsts is one rank.
func (t *thread) send(p post, dsts ...dimmnet.Rank) error {
	to := dataStart + dimmnet.Offset(p.off)
	content := p.content()
	return t.post(func() bool {
		switch p.kind {
		case kindStore:
			return t.Store(dsts[0], to, p.key, p.size)
		case kindMulticast:
			return t.Multicast(dsts, to, p.key, p.size)
		}
		return t.Write(dsts[0], to, content)
	})
}

// checkOrder: posts from one rank to another land in the order posted, whatever the methods.
// When the flag has landed, all earlier posts have; later ones overwrite earlier ones.
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

// round is a round of the ring; model is this rank's area as the previous rank writes it.
func (o *orderTest) round(t *thread, round int, model []byte) error {
	return t.exchange(
		func() error {
			for _, p := range o.posts(t.me, round) {
				if err := t.send(p, t.next); err != nil {
					return err
				}
			}
			return nil
		},
		func() error {
			theirs := o.posts(t.prev, round)
			for _, p := range theirs {
				copy(model[p.off:], p.content())
			}
			return t.expect(fmt.Sprintf("round %d, posts %+v", round, theirs), dataStart, model)
		})
}
