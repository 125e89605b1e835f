package porttest

import (
	"math/rand/v2"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Late wraps ports so that Pushes, Pulls and a rank's posts to itself land late: after about polls
// polls (at least 1, drawn from seed). Pushes and Pulls land in any order; posts to the own rank
// land in the order posted. Posts to and from other ranks may overtake both. A post that has not
// landed when a body returns never lands. While a post to the sender is delayed, a Multicast to
// ranks that include the sender is refused, because it must not overtake that post.
func Late(seed uint64, polls int) func(dimmnet.Port) dimmnet.Port {
	return func(p dimmnet.Port) dimmnet.Port {
		l := &late{random: dice(seed, p, 3), polls: polls}
		l.filter = filter{p, l.accept}
		return l
	}
}

type late struct {
	filter
	random *rand.Rand
	polls  int
	held   []posting // oldest first
}

func (l *late) accept(c posting) bool {
	if c.isMove() || len(c.peers) == 1 && l.isOwn(c) {
		l.held = append(l.held, c)
		return true
	}
	if slices.Contains(c.peers, l.Rank()) && slices.ContainsFunc(l.held, l.isOwn) {
		return false // a Multicast must not overtake held posts to the own rank
	}
	return c.do()
}

// isOwn reports whether c posts to the own rank, in order with other posts.
func (l *late) isOwn(c posting) bool { return !c.isMove() && c.peers[0] == l.Rank() }

func (l *late) poll() {
	for len(l.held) > 0 && l.random.IntN(l.polls) == 0 {
		i := l.random.IntN(len(l.held))
		if l.isOwn(l.held[i]) {
			i = slices.IndexFunc(l.held, l.isOwn)
		}
		if !l.held[i].do() && l.Err() == nil {
			return // the port below refused the post
		}
		l.held = slices.Delete(l.held, i, i+1)
	}
}

func (l *late) Load(off dimmnet.Offset) uint64 {
	defer l.poll()
	return l.Port.Load(off)
}

func (l *late) Read(b []byte, off dimmnet.Offset) {
	l.Port.Read(b, off)
	if limits := l.Limits(); limits.IsPoll(off, len(b)) {
		l.poll()
	}
}

func (l *late) Arrivals() dimmnet.Mark {
	l.poll()
	return l.Port.Arrivals()
}

func (l *late) Idle(since dimmnet.Mark) {
	if len(l.held) == 0 { // otherwise a held post must land first
		l.Port.Idle(since)
	}
	l.poll()
}

func (l *late) Counters() dimmnet.Counters {
	c := l.Port.Counters()
	for _, held := range l.held {
		c = c.Plus(held.counts)
	}
	return c
}
