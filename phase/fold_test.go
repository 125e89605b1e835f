package phase_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/phase"
	"github.com/fagus-dsm/fagus/syncvar"
)

// onTree runs body on ranks whose LLCMs do not hold rings between all pairs.
func onTree(t *testing.T, nodes int, body func(e *phase.Engine, rank int) error) error {
	return onTreeWith(t, nodes, func(e *phase.Engine, rank int, _ *consistency.Space, _ []byte) error { return body(e, rank) })
}

func onTreeWith(t *testing.T, nodes int, body func(e *phase.Engine, rank int, space *consistency.Space, mem []byte) error) error {
	return inproc.New(inproc.Config{LLCM: 6 << 10, Bulk: 64 << 10}).Run(t.Context(), nodes, func(h dimmnet.Host) error {
		space := consistency.NewSpace()
		mem := make([]byte, nodes)
		base, err := space.AddRegion("array", "bytes", 1, mem)
		if err != nil {
			return err
		}
		for r := range consistency.Addr(nodes) {
			if _, err := space.Bind(fmt.Sprint(r), []consistency.Range{{Lo: base + r, Hi: base + r + 1}}); err != nil {
				return err
			}
		}
		e, err := phase.New(h.Port(), space, phase.Config{Live: true})
		if err != nil {
			return err
		}
		if !e.Folds() {
			return fmt.Errorf("%d ranks have rings between all pairs", nodes)
		}
		return body(e, int(h.Port().Rank()), space, mem)
	})
}

// compose combines affine maps x -> a x + b of two words each. The order matters, grouping does
// not.
func compose(maps []uint64) []uint64 {
	a, b := maps[0], maps[1]
	for m := maps[2:]; len(m) > 0; m = m[2:] {
		a, b = a*m[0], b*m[0]+m[1]
	}
	return []uint64{a, b}
}

// TestFolds reduces vectors in every way, between tenures after which the lists of ranks differ.
// The result must equal the vectors of all ranks combined by rank.
func TestFolds(t *testing.T) {
	const rounds = 40
	add := func(all []uint64) []uint64 {
		sum := slices.Clone(all[:3])
		for all = all[3:]; len(all) > 0; all = all[3:] {
			for i := range sum {
				sum[i] += all[i]
			}
		}
		return sum
	}
	for _, nodes := range []int{70, 90} {
		calls := make([][3]int, nodes) // by rank: how often Of was called in each kind
		err := onTree(t, nodes, func(e *phase.Engine, rank int) error {
			meetings := rand.New(rand.NewPCG(uint64(nodes), 0))
			vector := func(round, r, length int) (v []uint64) {
				for i := range length {
					v = append(v, uint64(round*1000+r*10+i)*2+1)
				}
				return v
			}
			for round := range rounds {
				kind, dirty := meetings.IntN(4), meetings.IntN(nodes)
				var clean []syncvar.ID
				if round%3 == 0 && rank <= dirty { // these ranks leave a variable unchanged
					clean = []syncvar.ID{syncvar.ID(rank)}
				}
				if round%3 == 0 {
					if err := e.Call(&syncvar.List{Call: syncvar.Acquire, Exclusive: clean}); err != nil {
						return err
					}
				}
				e.Release(clean, nil)
				var all []uint64
				lengths := []int{2, 3, 1, 1}
				for r := range nodes {
					all = append(all, vector(round, r, lengths[kind])...)
				}
				own := vector(round, rank, lengths[kind])
				var got, want []uint64
				var err error
				of := func(f func([]uint64) []uint64) func([]uint64) []uint64 {
					return func(v []uint64) []uint64 {
						calls[rank][kind]++
						return f(v)
					}
				}
				last := func(v []uint64) []uint64 { return v[len(v)-1:] }
				switch {
				case kind == 0:
					want = compose(all)
					got, err = e.Reduce(own, phase.Fold{Of: of(compose)})
				case kind == 1:
					want = add(all)
					got, err = e.Reduce(own, phase.Fold{Of: of(add), AnyOrder: true})
				case kind == 2 && rank%2 == 0: // some ranks want all words, some the combined ones
					want = last(all)
					got, err = e.Reduce(own, phase.Fold{Of: of(last)})
				default:
					want = all
					if err = e.Meet(syncvar.Reduce, own[0]); err == nil {
						got = e.Words()
					}
				}
				if err != nil {
					return fmt.Errorf("round %d: %w", round, err)
				}
				if !slices.Equal(got, want) {
					return fmt.Errorf("round %d: rank %d got %x by kind %d, want %x", round, rank, got, kind, want)
				}
			}
			return e.Meet(syncvar.End, 0)
		})
		if err != nil {
			t.Fatalf("%d ranks: %v", nodes, err)
		}
		leaf := calls[nodes-1]
		if calls[0][0] == 0 || leaf[0] >= calls[0][0] || leaf[1] > 0 || calls[1][1] == 0 {
			t.Errorf("%d ranks: rank 0 combines %v times, rank 1 %v times, the last rank %v times", nodes, calls[0], calls[1], leaf)
		}
	}
}

// TestFoldsOfDifferentLengths: if vectors differ in length, the run fails on all ranks.
func TestFoldsOfDifferentLengths(t *testing.T) {
	for _, odd := range []int{0, 1, 8, 9, 68, 69} {
		err := onTree(t, 70, func(e *phase.Engine, rank int) error {
			v := make([]uint64, 2)
			if rank == odd {
				v = make([]uint64, 3)
			}
			_, err := e.Reduce(v, phase.Fold{Of: func(all []uint64) []uint64 { return all[:len(v)] }, AnyOrder: odd%2 == 0})
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "vectors of different lengths") {
			t.Fatalf("rank %d reduces a longer vector: error %v", odd, err)
		}
	}
}

// TestUpdateOverTree: in an Update all ranks send the same list, but data have to move. Every rank
// writes a byte of its own, which all ranks read before.
func TestUpdateOverTree(t *testing.T) {
	const nodes = 70
	err := onTreeWith(t, nodes, func(e *phase.Engine, rank int, space *consistency.Space, mem []byte) error {
		var all []syncvar.ID
		for id := range syncvar.ID(nodes) {
			all = append(all, id)
		}
		if err := e.Call(&syncvar.List{Call: syncvar.Acquire, Shared: all}); err != nil {
			return err
		}
		for round := range byte(3) {
			id := syncvar.ID(rank)
			if err := e.Call(&syncvar.List{Call: syncvar.Acquire, Exclusive: all[rank:][:1]}); err != nil {
				return err
			}
			space.BeginWrite(id, nil)
			mem[rank] = 100*round + byte(rank)
			space.EndWrite(id, e.Table().Version(id))
			if err := e.Meet(syncvar.Update, 0); err != nil {
				return err
			}
			for r, b := range mem {
				if want := 100*round + byte(r); b != want {
					return fmt.Errorf("round %d: rank %d has %d of rank %d, want %d", round, rank, b, r, want)
				}
			}
			if err := e.Meet(syncvar.Barrier, 0); err != nil {
				return err
			}
		}
		return e.Meet(syncvar.End, 0)
	})
	if err != nil {
		t.Error(err)
	}
}
