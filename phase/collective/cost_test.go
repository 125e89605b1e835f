package collective_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/phase/collective"
)

// sum is one reduction of T.
func sum[T collective.Number](g *collective.Group) error {
	_, err := collective.Reduce(g, T(1), collective.Sum)
	return err
}

// TestStores counts the packets of a call: one up and one down for each rank but
// one, twice that for 8-byte integers; and two emptied slots for float64, but
// that of the last result.
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
			{"int64", sum[int64], calls * 2 * edges},
			{"float64", sum[float64], calls*2*edges - edges/2},
		} {
			var stores uint64
			run(t, newSim(t, sim.Config{}), nodes, func(h dimmnet.Host, g *collective.Group) error {
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

// each is the time that one call of many takes on two nodes.
func each(t *testing.T, env string, call func(*collective.Group) error) (d dimmnet.Time) {
	const warm, calls = 5, 200
	run(t, newSim(t, sim.Config{Env: env}), 2, func(h dimmnet.Host, g *collective.Group) error {
		var start dimmnet.Time
		for i := range warm + calls {
			if i == warm {
				start = h.Now()
			}
			if err := call(g); err != nil {
				return err
			}
		}
		d = (h.Now() - start) / calls
		return nil
	})
	return d
}

// TestTwoNodeTimes: as spec/10 measures it, only the sum of 8-byte integers takes
// longer than a barrier, and that by the read and the write of one more word
// on each leg. Emptying the slots of a float64 is off the path.
func TestTwoNodeTimes(t *testing.T) {
	for _, env := range sim.Envs() {
		preset, err := sim.LoadPreset(env)
		if err != nil {
			t.Fatal(err)
		}
		barrier := each(t, env, (*collective.Group).Barrier)
		unsigned, double, wide := each(t, env, sum[uint32]), each(t, env, sum[float64]), each(t, env, sum[uint64])
		t.Logf("%s: barrier %v, uint32 %v, float64 %v, uint64 %v", env, barrier, unsigned, double, wide)
		poll := preset.CPURead // the phase of the polls decides when an arrival is seen
		if diff := max(unsigned-barrier, barrier-unsigned); diff > poll {
			t.Errorf("%s: a barrier takes %v, a sum %v", env, barrier, unsigned)
		}
		if diff := max(double-unsigned, unsigned-double); diff > poll {
			t.Errorf("%s: the sum of uint32 takes %v, of float64 %v", env, unsigned, double)
		}
		if more := wide - unsigned; more < 2*preset.CPURead-2*poll || more > 2*(preset.CPURead+preset.CPUWrite)+2*poll {
			t.Errorf("%s: the sum of uint32 takes %v, of uint64 %v", env, unsigned, wide)
		}
	}
}
