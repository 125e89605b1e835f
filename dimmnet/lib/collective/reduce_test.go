package collective_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/collective"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

const (
	emptyNaN = 0x7ff8464147555332 // as in doc.go
	plainNaN = 0x7ff8000000000001
)

// oracle combines values in the documented order: by eights from the left, until one is left.
func oracle[T collective.Number](values []T, op func(a, b T) T) T {
	for i := range values {
		values[i] = sendable(values[i])
	}
	for len(values) > 1 {
		var next []T
		for group := range slices.Chunk(values, 8) {
			v := group[0]
			for _, w := range group[1:] {
				v = sendable(op(v, w))
			}
			next = append(next, v)
		}
		values = next
	}
	return values[0]
}

// sendable returns v, or the replacement for the NaN that is never sent.
func sendable[T collective.Number](v T) T {
	if f, ok := any(v).(float64); ok && math.Float64bits(f) == emptyNaN {
		return any(math.Float64frombits(plainNaN)).(T)
	}
	return v
}

// same compares bits, so that it distinguishes NaNs and zeros.
func same[T collective.Number](a, b T) bool {
	switch a := any(a).(type) {
	case float32:
		return math.Float32bits(a) == math.Float32bits(any(b).(float32))
	case float64:
		return math.Float64bits(a) == math.Float64bits(any(b).(float64))
	}
	return a == b
}

// show formats the bits that same compares.
func show[T collective.Number](v T) string {
	switch v := any(v).(type) {
	case float32:
		return fmt.Sprintf("%v (%#x)", v, math.Float32bits(v))
	case float64:
		return fmt.Sprintf("%v (%#x)", v, math.Float64bits(v))
	}
	return fmt.Sprint(v)
}

// kind is a type with functions and with values for edge cases.
type kind[T collective.Number] struct {
	ops     []func(a, b T) T
	special []T
	random  func(*rand.Rand) T
}

// keepLeft and keepRight show which values were combined in which order.
func keepLeft[T collective.Number](a, _ T) T  { return a }
func keepRight[T collective.Number](_, b T) T { return b }

// mixed is neither commutative nor associative.
func mixed[T collective.Number](a, b T) T { return a + a + a - b }

func numberOps[T collective.Number]() []func(a, b T) T {
	return []func(a, b T) T{collective.Sum[T], collective.Prod[T], collective.Min[T], collective.Max[T], keepLeft[T], keepRight[T], mixed[T]}
}

func integers[T collective.Integer](special ...T) kind[T] {
	return kind[T]{
		ops:     append(numberOps[T](), collective.And[T], collective.Or[T], collective.Xor[T]),
		special: append(special, 0, 1),
		random:  func(r *rand.Rand) T { return T(r.Uint64()) },
	}
}

func float32s() kind[float32] {
	k := kind[float32]{ops: numberOps[float32](), random: func(r *rand.Rand) float32 { return math.Float32frombits(r.Uint32()) }}
	for _, bits := range []uint32{0, 1 << 31, 1, 0x3f800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff} {
		k.special = append(k.special, math.Float32frombits(bits))
	}
	return k
}

func float64s() kind[float64] {
	k := kind[float64]{ops: numberOps[float64](), random: func(r *rand.Rand) float64 { return r.NormFloat64() }}
	for _, bits := range []uint64{0, 1 << 63, 1, 0x3ff << 52, 0x7ff << 52, 0xfff << 52, emptyNaN, plainNaN, emptyNaN | 1<<63, 1<<64 - 1} {
		k.special = append(k.special, math.Float64frombits(bits))
	}
	return k
}

// call does a reduction of this kind that r draws, the same at all ranks, and compares its
// result with the oracle's.
func (k kind[T]) call(g *collective.Group, rank dimmnet.Rank, nodes int, r *rand.Rand) error {
	op := r.IntN(len(k.ops))
	values, style := make([]T, nodes), r.IntN(3)
	for i := range values {
		switch {
		case style == 0 && i > 0: // all values the same
			values[i] = values[0]
		case style == 1 && r.IntN(4) > 0:
			values[i] = k.random(r)
		default:
			values[i] = k.special[r.IntN(len(k.special))]
		}
	}
	got, err := collective.Reduce(g, values[rank], k.ops[op])
	if err != nil {
		return err
	}
	if want := oracle(values, k.ops[op]); !same(got, want) {
		return fmt.Errorf("function %d of %T gives %s, want %s", op, got, show(got), show(want))
	}
	return nil
}

// program mixes barriers and reductions of all types, as seed determines. Its ranks compute at
// random times.
func program(seed uint64, calls int) func(dimmnet.Host, *collective.Group) error {
	return func(h dimmnet.Host, g *collective.Group) error {
		rank, nodes := h.Port().Rank(), h.Port().Nodes()
		all := rand.New(rand.NewPCG(seed, 0))
		own := rand.New(rand.NewPCG(seed, 1+uint64(rank)))
		only := all.IntN(9) // one kind of call is more frequent than the others
		for i := range calls {
			if own.IntN(4) == 0 {
				h.Spend(dimmnet.Time(own.IntN(10)) * dimmnet.Microsecond)
			}
			which := all.IntN(7)
			if only < 7 && all.IntN(2) == 0 {
				which = only
			}
			var err error
			switch which {
			case 0:
				err = g.Barrier()
			case 1:
				err = integers[uint32](math.MaxUint32).call(g, rank, nodes, all)
			case 2:
				err = integers[int32](math.MinInt32, -1).call(g, rank, nodes, all)
			case 3:
				err = integers[uint64](math.MaxUint64, emptyNaN, emptyNaN^1, emptyNaN^1<<40, emptyNaN^1<<63^1).call(g, rank, nodes, all)
			case 4:
				err = integers[int64](math.MinInt64, -1, emptyNaN, emptyNaN^1).call(g, rank, nodes, all)
			case 5:
				err = float32s().call(g, rank, nodes, all)
			case 6:
				err = float64s().call(g, rank, nodes, all)
			}
			if err != nil {
				return fmt.Errorf("seed %d, rank %d, call %d: %w", seed, rank, i, err)
			}
		}
		return nil
	}
}

// seeds returns the number of seeds that a random test tries: n in long tests, otherwise a quarter,
// and fewer with the race detector, which slows coroutines down.
func seeds(n uint64) uint64 {
	n = longtest.Cases(n, n/4)
	return max(1, n/slowdown)
}

func TestReduceInproc(t *testing.T) {
	for seed := range seeds(4) {
		for _, nodes := range sizes() {
			run(t, newInproc(), nodes, program(seed, 1000/(8+nodes)))
			run(t, porttest.Wrap(newInproc(), porttest.Multicasting(7)), nodes, program(seed, 1000/(8+nodes)))
		}
	}
}

func TestReduceInVirtualTime(t *testing.T) {
	for seed := range seeds(24) {
		for _, nodes := range sizes() {
			network := newSim(t, sim.Config{Seed: seed, MaxDelay: 20 * dimmnet.Microsecond})
			run(t, network, nodes, program(seed, 1000/(8+nodes)))
			run(t, porttest.Wrap(network, porttest.Multicasting(int(seed%8))), nodes, program(seed, 1000/(8+nodes)))
		}
	}
}

// TestRefusedPosts checks that a refused post is posted later.
func TestRefusedPosts(t *testing.T) {
	for seed := range seeds(24) {
		for _, nodes := range []int{2, 3, 9, 20, 65} {
			network := newSim(t, sim.Config{Seed: seed, MaxDelay: 20 * dimmnet.Microsecond})
			run(t, porttest.Wrap(network, porttest.Refusing(seed, 1./3)), nodes, program(seed, 1000/(8+nodes)))
			run(t, porttest.Wrap(newInproc(), porttest.Refusing(seed, 1./3)), nodes, program(seed, 500/(8+nodes)))
			both := porttest.Wrap(porttest.Wrap(network, porttest.Multicasting(7)), porttest.Refusing(seed, 1./3))
			run(t, both, nodes, program(seed, 1000/(8+nodes)))
		}
	}
}

// TestSmallSendBuffer checks that a NIC that accepts one packet at a time changes no result.
func TestSmallSendBuffer(t *testing.T) {
	preset, err := presets.Load("D")
	if err != nil {
		t.Fatal(err)
	}
	preset.FIFO = 1
	for seed := range seeds(12) {
		for _, nodes := range []int{2, 9, 65} {
			run(t, newSim(t, sim.Config{Seed: seed, Preset: &preset}), nodes, program(seed, 1000/(8+nodes)))
		}
	}
}

// TestSlowSelf checks that a slot is reused only after the store that empties it has landed.
func TestSlowSelf(t *testing.T) {
	doubles := func(h dimmnet.Host, g *collective.Group) error {
		for i := range 100 {
			v := float64(i * (int(h.Port().Rank()) + 1))
			got, err := collective.Reduce(g, v, collective.Max)
			if err != nil {
				return err
			}
			if want := float64(i * h.Port().Nodes()); got != want {
				return fmt.Errorf("reduction %d gives %v, want %v", i, got, want)
			}
		}
		return nil
	}
	for seed := range seeds(8) {
		for _, nodes := range []int{2, 3, 9, 20, 65} {
			run(t, porttest.Wrap(newSim(t, sim.Config{Seed: seed}), porttest.Late(seed, 48)), nodes, doubles)
			run(t, porttest.Wrap(newInproc(), porttest.Late(seed, 48)), nodes, doubles)
			run(t, porttest.Wrap(newSim(t, sim.Config{Seed: seed}), porttest.Late(seed, 48)), nodes, program(seed, 1000/(8+nodes)))
		}
	}
}

// TestStepsArePure checks every polling pass. No pass is skipped, so that many passes follow
// each other.
func TestStepsArePure(t *testing.T) {
	compared := 0
	for seed := range seeds(12) {
		for _, nodes := range []int{2, 3, 9, 20, 65} {
			network := newSim(t, sim.Config{Seed: seed, MaxDelay: 5 * dimmnet.Microsecond, Spin: true, Limit: dimmnet.Second})
			wrap := func(p dimmnet.Port) dimmnet.Port {
				return porttest.Watch(p, func(what string) {
					t.Errorf("seed %d, %d nodes, rank %d: %s", seed, nodes, p.Rank(), what)
				})
			}
			err := porttest.Wrap(network, wrap).Run(t.Context(), nodes, func(h dimmnet.Host) error {
				p := h.Port().(*porttest.Watched)
				g, err := collective.New(p, base, collective.Config{Turn: p.Changed})
				if err == nil {
					err = program(seed, 1000/(8+nodes))(h, g)
				}
				compared += p.Compared
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if compared < 10000 {
		t.Errorf("only %d passes were compared", compared)
	}
}

// TestSkippedPollsAreExact compares a run of every polling pass with a run that skips passes
// without an effect.
func TestSkippedPollsAreExact(t *testing.T) {
	for seed := range seeds(12) {
		for _, nodes := range []int{2, 3, 9, 20, 65} {
			var ends [2][]dimmnet.Time
			var counters [2][]dimmnet.Counters
			var results [2]sim.Result
			for i, spin := range []bool{false, true} {
				network := newSim(t, sim.Config{Seed: seed, MaxDelay: 5 * dimmnet.Microsecond, Spin: spin, Limit: dimmnet.Second})
				ends[i], counters[i] = make([]dimmnet.Time, nodes), make([]dimmnet.Counters, nodes)
				err := network.Run(t.Context(), nodes, func(h dimmnet.Host) error {
					g, err := collective.New(h.Port(), base, collective.Config{Turn: func() { h.Spend(100 * dimmnet.Nanosecond) }})
					if err == nil {
						err = program(seed, 1000/(8+nodes))(h, g)
					}
					ends[i][h.Port().Rank()], counters[i][h.Port().Rank()] = h.Now(), h.Port().Counters()
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				results[i] = network.Result()
			}
			if !reflect.DeepEqual(ends[0], ends[1]) || !reflect.DeepEqual(counters[0], counters[1]) || results[0].TraceHash != results[1].TraceHash {
				t.Fatalf("seed %d, %d nodes: skipped %+v, spun %+v", seed, nodes, results[0], results[1])
			}
		}
	}
}

// TestReservedNaN checks that the reserved NaN becomes another, whether it is given to Reduce or
// returned by its function, and also where nothing is sent.
func TestReservedNaN(t *testing.T) {
	for _, nodes := range []int{1, 2, 9} {
		run(t, inproc.New(inproc.Config{}), nodes, func(_ dimmnet.Host, g *collective.Group) error {
			reserved := math.Float64frombits(emptyNaN)
			for range 5 {
				kept, err := collective.Reduce(g, reserved, keepLeft)
				if err != nil {
					return err
				}
				made, err := collective.Reduce(g, 1, func(a, b float64) float64 { return reserved })
				if err != nil {
					return err
				}
				if math.Float64bits(kept) != plainNaN || nodes > 1 && math.Float64bits(made) != plainNaN {
					return fmt.Errorf("results %s and %s", show(kept), show(made))
				}
			}
			return nil
		})
	}
}
