package loops

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// memory is what an interpreted nest computes on: elements by array and subscript.
type memory map[string]uint64

// execute executes a nest of loops, and counts in visits how often its statement is executed with
// each set of values of the accesses' subscripts. The iterations of the loop any, if there is one,
// are executed in an order that r chooses.
func execute(n *Node, at map[*Symbol]int64, m memory, visits map[string]int, any *Loop, r *rand.Rand) {
	if l := n.Loop; l != nil {
		all := iterations(l, at)
		if l == any {
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		}
		for _, i := range all {
			at[l.Index] = i
			for _, c := range n.Children {
				execute(c, at, m, visits, any, r)
			}
		}
		return
	}
	hash, key := uint64(14695981039346656037), ""
	for _, a := range n.Own {
		name := fmt.Sprint(a.Access.Array.Name, a.Access.At.value(at))
		key += name + " "
		if a.Access.Write {
			m[name] = hash
		} else {
			hash = (hash ^ m[name] + 1) * 1099511628211
		}
	}
	visits[key]++
}

// nestAt returns a nest of two loops with random bounds, directions and accesses.
func nestAt(r *rand.Rand, n *Symbol) (*Node, *Node) {
	i := &Symbol{Name: "i", Ident: "i"}
	j := &Symbol{Name: "j", Ident: "j"}
	outer := &Loop{Index: i, Lo: []Poly{Number(r.Int64N(3))}, Hi: []Poly{Of(n).Minus(Number(r.Int64N(3)))}, Step: 1, Down: r.IntN(2) == 0}
	inner := &Loop{Index: j, Lo: []Poly{Number(r.Int64N(3))}, Hi: []Poly{Of(n).Minus(Number(r.Int64N(3)))}, Step: 1, Down: r.IntN(2) == 0}
	switch r.IntN(6) {
	case 0:
		inner.Lo = []Poly{Of(i).Plus(Number(r.Int64N(2)))}
	case 1:
		inner.Hi = []Poly{Of(i).Plus(Number(r.Int64N(2)))}
	case 2:
		inner.Lo, inner.Hi = []Poly{Of(i)}, []Poly{Of(i).Plus(Of(n))}
	case 3:
		inner.Hi = []Poly{Of(i).Times(Number(2)).Plus(Number(1))}
	}
	i.Loop, j.Loop = outer, inner
	arrays := []*Array{{Name: "a"}, {Name: "b"}}
	width := Of(n).Times(Number(4)) // so that subscripts of different rows differ
	access := func(array *Array, di, dj int64, write bool) Action {
		row, column := Of(i).Plus(Number(di+4)), Of(j).Plus(Number(dj+4))
		p := row.Times(width).Plus(column)
		return Action{Access: &Access{Array: array, At: &p, Inside: []Poly{column, width.Minus(Number(1)).Minus(column)}, Write: write}}
	}
	leaf := &Node{}
	reads := 1 + r.IntN(4)
	for range reads {
		leaf.Own = append(leaf.Own, access(arrays[r.IntN(8)/7], r.Int64N(5)-2, r.Int64N(5)-2, false))
	}
	leaf.Own = append(leaf.Own, access(arrays[0], 0, 0, true))
	if r.IntN(4) == 0 {
		leaf.Own = append(leaf.Own, access(arrays[1], r.Int64N(2), r.Int64N(2), true))
	}
	in := &Node{Loop: inner, Children: []*Node{leaf}}
	return &Node{Loop: outer, Children: []*Node{in}}, in
}

// TestWave: a loop over diagonals executes each iteration of a nest once, and computes the same in
// any order of the iterations on a diagonal.
func TestWave(t *testing.T) {
	seeds := longtest.Cases(uint64(2500), 800)
	found := make(map[int64]int)
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 31))
		n := &Symbol{Name: "n"}
		nest, inner := nestAt(r, n)
		before := *nest
		f := &Function{Body: []*Node{nest}, Unique: func(name string) string { return name }}
		f.link()
		if len(f.judge(nest, 1).Reasons) == 0 || len(f.judge(inner, 1).Reasons) == 0 {
			continue
		}
		w := f.wave(nest, 1)
		if w == nil {
			continue
		}
		by := w.Loop.Wave.By
		found[by]++
		for size := int64(0); size < 7; size++ {
			want, wanted := make(memory), make(map[string]int)
			got, visits := make(memory), make(map[string]int)
			execute(&before, map[*Symbol]int64{n: size}, want, wanted, nil, nil)
			execute(w, map[*Symbol]int64{n: size}, got, visits, w.Children[0].Loop, r)
			if !maps.Equal(wanted, visits) || !maps.Equal(want, got) {
				t.Fatalf("seed %d, size %d, by %d: other iterations or results\n%v\n%v", seed, size, by, wanted, visits)
			}
		}
	}
	for by := range int64(mostSkew + 1) {
		if found[by] < int(seeds/50) {
			t.Errorf("only %d nests have diagonals by %d", found[by], by)
		}
	}
	t.Log(found)
}
