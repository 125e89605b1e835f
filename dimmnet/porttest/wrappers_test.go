package porttest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// alone runs body on a port that supports everything, without peers, through wrap.
func alone(t *testing.T, wrap func(dimmnet.Port) dimmnet.Port, body func(dimmnet.Port) error) {
	t.Helper()
	err := alter(wrap)().Run(t.Context(), 1, func(h dimmnet.Host) error { return body(h.Port()) })
	if err != nil {
		t.Error(err)
	}
}

// postOwn returns one post of each kind to the own rank. All change the word at flagDone.
func postOwn() map[string]func(dimmnet.Port) bool {
	return map[string]func(dimmnet.Port) bool{
		"Store":     func(p dimmnet.Port) bool { return p.Store(0, flagDone, 1, 1) },
		"Write":     func(p dimmnet.Port) bool { return p.Write(0, flagDone, []byte{1}) },
		"Multicast": func(p dimmnet.Port) bool { return p.Multicast([]dimmnet.Rank{0}, flagDone, 1, 1) },
		"Push":      func(p dimmnet.Port) bool { return p.Push(0, flagData, dataStart, 1, flagDone) },
		"Pull":      func(p dimmnet.Port) bool { return p.Pull(0, flagData, dataStart, 1, flagDone) },
	}
}

// countIdles counts calls of Idle, which return at once.
type countIdles struct {
	dimmnet.Port
	n *int
}

func (p countIdles) Idle(dimmnet.Mark) { *p.n++ }

// TestRefuse: a refused post has no effect, and the next Idle returns at once.
func TestRefuse(t *testing.T) {
	for name, post := range postOwn() {
		refuse, idles := true, 0
		wrap := func(p dimmnet.Port) dimmnet.Port {
			return Refuse(countIdles{p, &idles}, func() bool { return refuse })
		}
		alone(t, wrap, func(p dimmnet.Port) error {
			if post(p) || p.Counters() != (dimmnet.Counters{}) || p.Load(flagDone) != 0 {
				return fmt.Errorf("%s was not refused", name)
			}
			p.Idle(0)
			if refuse = false; idles != 0 || !post(p) || p.Load(flagDone) == 0 {
				return fmt.Errorf("%s: %d Idles were passed on, want 0; or the post is still refused", name, idles)
			}
			if p.Idle(0); idles != 1 {
				return fmt.Errorf("%s: an Idle after it was not passed on", name)
			}
			return nil
		})
	}
}

// TestShares: Refusing refuses its share of posts, and Restless shortens its share of Idles.
func TestShares(t *testing.T) {
	const calls = 4000
	seed := rand.Uint64()
	for _, share := range []float64{0, 0.25, 1} {
		posted, idles := 0, 0
		wrap := func(p dimmnet.Port) dimmnet.Port { return Refusing(seed, share)(countIdles{p, &idles}) }
		alone(t, wrap, func(p dimmnet.Port) error {
			for range calls {
				if p.Store(0, dataStart, 1, 1) {
					posted++
				}
			}
			restless := Restless(seed, share)(p.(*refuser).Port)
			for range calls {
				restless.Idle(0)
			}
			return nil
		})
		for _, n := range []int{posted, idles} {
			if part := float64(n) / calls; math.Abs(part-(1-share)) > share*(1-share)/4 {
				t.Errorf("seed %d, share %v: of %d calls each, %d posts and %d Idles were passed on", seed, share, calls, posted, idles)
			}
		}
	}
}

// TestLate: a post does not land at once, is counted once, and lands after the given number of
// polls of any kind.
func TestLate(t *testing.T) {
	const rounds, polls = 200, 20
	seed := rand.Uint64()
	for how, poll := range map[string]func(dimmnet.Port){
		"Load":     func(p dimmnet.Port) { p.Load(dataStart) },
		"Read":     func(p dimmnet.Port) { p.Read(make([]byte, 1), dataStart) },
		"Arrivals": func(p dimmnet.Port) { p.Arrivals() },
		"Idle":     func(p dimmnet.Port) { p.Idle(0) },
	} {
		for name, post := range postOwn() {
			alone(t, Late(seed, polls), func(p dimmnet.Port) error {
				below, took := p.(*late).Port, 0
				for range rounds {
					before := p.Counters().Bytes
					if !post(p) || below.Load(flagDone) != 0 {
						return fmt.Errorf("seed %d: a %s landed at once", seed, name)
					}
					for ; below.Load(flagDone) == 0; took++ {
						if more := p.Counters().Bytes - before; more != 1 {
							return fmt.Errorf("seed %d: a %s of 1 byte counts as %d", seed, name, more)
						}
						poll(p)
					}
					below.Store(0, flagDone, 0, word)
				}
				if took < rounds*polls/2 || took > rounds*polls*3/2 {
					return fmt.Errorf("seed %d: %d times %s took %d polls by %s, want about %d each", seed, rounds, name, took, how, polls)
				}
				return nil
			})
		}
	}
}

// TestLateOvertakes: of two Pushes and a Store, each is sometimes the first to land.
func TestLateOvertakes(t *testing.T) {
	seed := rand.Uint64()
	alone(t, Late(seed, 3), func(p dimmnet.Port) error {
		below := p.(*late).Port
		var first [3]int
		for range 300 {
			p.Push(0, flagData, dataStart, 1, flagDone)
			p.Push(0, flagData, dataStart+word, 1, flagDone+word)
			p.Store(0, flagDone+2*word, 1, 1)
			for landed := 0; landed < 3; p.Arrivals() {
				before := landed
				landed = 0
				for i := range first {
					if below.Load(flagDone+dimmnet.Offset(i*word)) != 0 {
						if landed++; before == 0 {
							first[i]++
						}
					}
				}
			}
			below.Write(0, flagDone, make([]byte, 3*word))
		}
		if min(first[0], first[1], first[2]) < 30 {
			return fmt.Errorf("seed %d: times out of 300 that each landed first: %v, want 30 or more", seed, first)
		}
		return nil
	})
}

// TestMulticastOverRefusingPort: a Multicast made of Stores cannot be refused, so it panics.
func TestMulticastOverRefusingPort(t *testing.T) {
	alone(t, Refusing(0, 1), func(p dimmnet.Port) error {
		if m := Multicasting(1)(p); !panics(func() { m.Multicast([]dimmnet.Rank{0}, 0, 1, 1) }) {
			return errors.New("a Multicast over a port that refuses did not panic")
		}
		return nil
	})
}
