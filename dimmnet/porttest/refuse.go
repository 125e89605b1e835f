package porttest

import (
	"runtime"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Refuse is p without the posts, of any kind, for which refuse says so. It is
// asked once before each. Idle returns at once after a post that was refused, as
// if room had become free.
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

// Refusing wraps ports so that each refuses a share of its posts, from 0 to 1, at
// random as seed says.
func Refusing(seed uint64, share float64) func(dimmnet.Port) dimmnet.Port {
	return func(p dimmnet.Port) dimmnet.Port {
		random := dice(seed, p, 1)
		return Refuse(p, func() bool { return random.Float64() < share })
	}
}

type refuser struct {
	filter
	refused bool // since the last Idle
}

func (r *refuser) Idle(since dimmnet.Mark) {
	if r.refused {
		r.refused = false
		return
	}
	r.Port.Idle(since)
}

// Restless wraps ports so that a share of their Idles, from 0 to 1, returns early
// for no reason, at random as seed says.
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
		runtime.Gosched() // a thread that spins lets others run
		return
	}
	r.Port.Idle(since)
}
