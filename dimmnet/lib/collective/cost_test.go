package collective_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/collective"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// sum does one reduction of T.
func sum[T collective.Number](g *collective.Group) error {
	_, err := collective.Reduce(g, T(1), collective.Sum)
	return err
}

// TestStores counts the packets of a call without multicast. Every rank but rank 0 sends one up
// and receives one down. A value of 8 bytes takes two further stores, which empty its slots. The
// slots of the last result are not emptied.
func TestStores(t *testing.T) {
	const calls = 10
	for _, nodes := range sizes() {
		edges := 2 * (nodes - 1)
		for _, c := range []struct {
			what string
			call func(*collective.Group) error
			want int
		}{
			{"barrier", (*collective.Group).Barrier, calls * edges},
			{"uint32", sum[uint32], calls * edges},
			{"float32", sum[float32], calls * edges},
			{"int64", sum[int64], calls*2*edges - edges/2},
			{"float64", sum[float64], calls*2*edges - edges/2},
		} {
			var stores uint64
			network := porttest.Wrap(newSim(t, sim.Config{}), porttest.Multicasting(0))
			run(t, network, nodes, func(h dimmnet.Host, g *collective.Group) error {
				for range calls {
					if err := c.call(g); err != nil {
						return err
					}
				}
				stores += h.Port().Counters().Stores
				return nil
			})
			if int(stores) != c.want {
				t.Errorf("%s, %d nodes: %d stores in %d calls, want %d", c.what, nodes, stores, calls, c.want)
			}
		}
	}
}

// each returns the mean time of a call on two nodes. Each rank spends up to poll more in each
// turn, so that arrivals meet the polls at all phases; that time is subtracted.
func each(t *testing.T, env string, poll dimmnet.Time, call func(*collective.Group) error) (d dimmnet.Time) {
	t.Helper()
	const calls, seed = 5000 / slowdown, 1
	err := newSim(t, sim.Config{Env: env}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		random := rand.New(rand.NewPCG(seed, uint64(h.Port().Rank())))
		var spent dimmnet.Time
		g, err := collective.New(h.Port(), base, collective.Config{Turn: func() {
			more := dimmnet.Time(random.Int64N(int64(poll)))
			spent += more
			h.Spend(more)
		}})
		for i := 0; i < calls && err == nil; i++ {
			err = call(g)
		}
		d = (h.Now() - 2*spent) / calls
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// again returns the additional time to poll half a word and then read all of it.
func again(h *presets.HostTimes) dimmnet.Time {
	narrower := h.ReadHalf - h.Read
	return h.Read + narrower + narrower/2 // half a poll, the poll, the read
}

// TestTwoNodeTimes checks that only the sum of 8-byte integers takes longer than the other calls,
// by one more read on each leg, as in the papers. Emptying slots is not on the critical path. A
// barrier takes as long as a sum, or less where a narrow poll is faster.
func TestTwoNodeTimes(t *testing.T) {
	for _, env := range presets.Envs() {
		preset, err := presets.Load(env)
		if err != nil {
			t.Fatal(err)
		}
		read := preset.Host.Read
		word := each(t, env, read, sum[uint32])
		for _, c := range []struct {
			what string
			call func(*collective.Group) error
			want dimmnet.Time
		}{
			{"int32", sum[int32], word},
			{"float32", sum[float32], word},
			{"float64", sum[float64], word},
			{"uint64", sum[uint64], word + 2*again(&preset.Host)},
			{"int64", sum[int64], word + 2*again(&preset.Host)},
		} {
			took := each(t, env, read, c.call)
			if off := took - c.want; max(off, -off) > c.want/100 {
				t.Errorf("%s: the sum of %s takes %v, of uint32 %v: want %v", env, c.what, took, word, c.want)
			}
		}
		if barrier := each(t, env, read, (*collective.Group).Barrier); barrier > word+word/100 || barrier < word-2*read {
			t.Errorf("%s: a barrier takes %v, the sum of uint32 %v", env, barrier, word)
		}
	}
}
