package phase

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// mistake changes one event of a trace. The result is a trace of an engine that makes one of the
// mistakes named in the model.
type mistake struct {
	name string
	want string // a part of the automaton's error
	// at changes moves at event i. It returns false if the mistake does not apply there.
	at func(moves []move, i int) ([]move, bool)
}

func mistakes() []mistake {
	return []mistake{
		{"reads ahead of the phase", "takes a frame of phase", func(moves []move, i int) ([]move, bool) {
			return before(moves, i, moves[i].action == done, func(m *move) bool {
				return m.action == take && m.to == moves[i].from && m.header.Kind == ringbuf.List
			})
		}},
		{"one credit too many", "overrun", func(moves []move, i int) ([]move, bool) {
			return before(moves, i, moves[i].action == landFree, moves[i].same(put))
		}},
		{"finishes before all is sent", "goes on while", func(moves []move, i int) ([]move, bool) {
			sends := moves[i].action == put && moves[i].header.Kind == ringbuf.Data
			return before(moves, i, sends, func(m *move) bool { return m.action == done && m.from == moves[i].from })
		}},
		{"flag before data", "comes before all of its frame", func(moves []move, i int) ([]move, bool) {
			return before(moves, i, moves[i].action == fill, moves[i].same(complete))
		}},
		{"grants to two", "by the lists it is", func(moves []move, i int) ([]move, bool) {
			moves[i].granted = !moves[i].granted
			return moves, moves[i].action == done
		}},
		{"another than the owner serves", "are still to move", func(moves []move, i int) ([]move, bool) {
			moves[i].id++ // a variable that the sender does not own or the receiver does not lack
			return moves, moves[i].action == fill && moves[i].bytes == 0
		}},
		{"looks at no version", "its copy of variable", func(moves []move, i int) ([]move, bool) {
			old := maps.Clone(moves[i].stamps)
			for id := range syncvar.ID(len(old)) {
				old[id]--
			}
			moves[i].stamps = old
			return moves, moves[i].action == done && moves[i].granted
		}},
		{"frees a slot before reading it", "is not owed", func(moves []move, i int) ([]move, bool) {
			return before(moves, i, moves[i].action == take, moves[i].same(free))
		}},
		{"forgets to free a slot", "goes on while", func(moves []move, i int) ([]move, bool) {
			frees := moves[i].action == free
			return slices.Delete(moves, i, i+1), frees
		}},
		{"a repeated list forgets its fence", "repeats a list with Fenced false", func(moves []move, i int) ([]move, bool) {
			again := moves[i].action == begin && moves[i].list.Fenced && moves[i].list.Since < moves[i].list.Phase
			return turned(moves, i), again
		}},
		{"a list stays behind a passed fence", "repeats a list with Fenced true", func(moves []move, i int) ([]move, bool) {
			again := moves[i].action == begin && !moves[i].list.Fenced && moves[i].list.Since < moves[i].list.Phase
			return turned(moves, i), again
		}},
	}
}

// turned changes whether the list of event i is behind a Fence, if it has a list.
func turned(moves []move, i int) []move {
	if moves[i].list != nil {
		l := *moves[i].list
		l.Fenced = !l.Fenced
		moves[i].list = &l
	}
	return moves
}

// same returns a predicate that accepts moves with action a on the ring of m.
func (m move) same(a action) func(*move) bool {
	return func(x *move) bool { return x.action == a && x.from == m.from && x.to == m.to }
}

// before moves the first event after i that the predicate kind accepts to the place before event i.
// It returns false if no event is accepted, or if ok is false.
func before(moves []move, i int, ok bool, kind func(*move) bool) ([]move, bool) {
	if !ok {
		return nil, false
	}
	for j := i + 1; j < len(moves); j++ {
		if kind(&moves[j]) {
			m := moves[j]
			return slices.Insert(slices.Delete(moves, j, j+1), i, m), true
		}
	}
	return nil, false
}

// TestConformRefuses plants each of the model's mistakes in good traces. The automaton must refuse
// them.
func TestConformRefuses(t *testing.T) {
	longtest.OneThread(t)
	const seeds, stride, enough = 16, 3, 5
	refused := make(map[string]int)
	for seed := range uint64(seeds) {
		c, err := randomRecording(seed)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, mistake := range mistakes() {
			for i := 0; i < len(c.moves); i += stride {
				moves, ok := mistake.at(slices.Clone(c.moves), i)
				if !ok {
					continue
				}
				if _, err := c.replay(moves); err != nil && strings.Contains(err.Error(), mistake.want) {
					refused[mistake.name]++
				}
			}
		}
	}
	for _, mistake := range mistakes() {
		if refused[mistake.name] < enough {
			t.Errorf("mistake %s: the automaton refused %d traces with the right error, want %d", mistake.name, refused[mistake.name], enough)
		}
	}
	t.Log(refused)
}
