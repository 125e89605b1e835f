package porttest

import (
	"runtime"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Refuse returns p with some posts refused: it calls refuse once per post, and true refuses the
// post. After a refused post the next Idle returns at once, as if a resource had become free.
func Refuse(p dimmnet.Port, refuse func() bool) dimmnet.Port {
	r := &refuser{}
	r.filter = filter{p, func(c posting) bool {
		if refuse() {
			r.refused = true
			return false
		}
		return c.do()
	}}
	return r
}

// Refusing wraps ports to refuse the given share of posts, 0 to 1. seed selects the posts.
func Refusing(seed uint64, share float64) func(dimmnet.Port) dimmnet.Port {
	return func(p dimmnet.Port) dimmnet.Port {
		random := dice(seed, p, 1)
		return Refuse(p, func() bool { return random.Float64() < share })
	}
}

type refuser struct {
	filter
	refused bool // a post was refused since the last Idle
}

func (r *refuser) Idle(since dimmnet.Mark) {
	if r.refused {
		r.refused = false
		return
	}
	r.Port.Idle(since)
}

// Restless wraps ports so that the given share of Idles, 0 to 1, returns early. seed selects them.
func Restless(seed uint64, share float64) func(dimmnet.Port) dimmnet.Port {
	return func(p dimmnet.Port) dimmnet.Port {
		random := dice(seed, p, 2)
		return restless{p, func() bool { return random.Float64() < share }}
	}
}

type restless struct {
	dimmnet.Port
	wakes func() bool
}

func (r restless) Idle(since dimmnet.Mark) {
	if r.wakes() {
		runtime.Gosched() // other threads run while this one spins
		return
	}
	r.Port.Idle(since)
}
