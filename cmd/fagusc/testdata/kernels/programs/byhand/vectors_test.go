package byhand

import (
	"fmt"

	"github.com/fagus-dsm/fagus/cmd/fagusc/testdata/kernels/programs"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

func plus[T parts.Number](a, b T) T { return a + b }

// Means is [programs.Means]. A rank keeps its points private. A step is one sum over all ranks, of
// vectors that end with the number of changes.
func Means(node *fagus.Node, points []float64, label []int, centres programs.Model, steps int) (_ programs.Model, count int, err error) {
	const d = programs.Dimensions
	name, me := again(node, "means"), node.Rank()
	x, err := fagus.NewArray[float64](node, name, len(points))
	if err != nil {
		return centres, 0, err
	}
	labels, err := fagus.NewArray[int](node, name+" labels", len(label))
	if err != nil {
		return centres, 0, err
	}
	vector := make([]float64, programs.Clusters*(d+1)+1)
	all, err := parts.NewSums[float64](node, name+" sums", len(vector))
	if err != nil {
		return centres, 0, err
	}
	block := func(rank int) (lo, hi int) { return parts.Block(len(label), node.Nodes(), rank) }
	var guards []*fagus.SyncVar
	var wants, last []fagus.Request
	for rank := range node.Nodes() {
		lo, hi := block(rank)
		if lo == hi {
			break
		}
		ranges := []fagus.Range{x.Range(lo*d, hi*d), labels.Range(lo, hi)}
		v, err := node.Bind(fmt.Sprintf("%s.%d", name, rank), ranges...)
		if err != nil {
			return centres, 0, err
		}
		guards = append(guards, v)
		if me == 0 {
			wants, last = append(wants, v.Write().Writing(ranges...)), append(last, v.Read())
		}
	}
	if err := phase(node, node.Set(wants...), func() {
		if me == 0 {
			copy(x.Slice(), points)
			copy(labels.Slice(), label)
		}
	}); err != nil {
		return centres, 0, err
	}
	lo, hi := block(me)
	var own []float64
	var kept []int
	wants = nil
	if lo < hi {
		wants = append(wants, guards[me].Read())
	}
	if err := phase(node, node.Set(wants...), func() {
		own, kept = append(own, x.Slice()[lo*d:hi*d]...), append(kept, labels.Slice()[lo:hi]...)
	}); err != nil {
		return centres, 0, err
	}
	for changed := 1; count < steps && changed > 0; count++ {
		var sums programs.Model
		sums, changed = programs.Assign(own, kept, centres)
		node.Spend(fagus.Time((hi-lo)*d*(programs.Clusters+1)) * fagus.Nanosecond)
		for c := range sums {
			copy(vector[c*(d+1):], sums[c][:])
		}
		vector[len(vector)-1] = float64(changed)
		if err := all.Add(vector); err != nil {
			return centres, 0, err
		}
		for c := range sums {
			copy(sums[c][:], vector[c*(d+1):])
		}
		changed = int(vector[len(vector)-1])
		centres = programs.Move(centres, sums)
	}
	wants = nil
	if lo < hi {
		wants = append(wants, guards[me].Write().Writing(labels.Range(lo, hi)))
	}
	if err := phase(node, node.Set(wants...), func() { copy(labels.Slice()[lo:hi], kept) }); err != nil {
		return centres, 0, err
	}
	return centres, count, phase(node, node.Set(last...), func() {
		if me == 0 {
			copy(label, labels.Slice())
		}
	})
}

// system is a rank's rows of a system of equations, and the vectors that belong to them.
type system struct {
	lo, hi              int
	val, right, x, r, q []float64
	begin, col          []int
}

// distribute gives every rank its rows. The variables depend on the number of elements of the rows,
// so all ranks get begin first.
func distribute(node *fagus.Node, right, val []float64, begin, col []int) (s system, err error) {
	name, me := again(node, "system"), node.Rank()
	if begin, err = parts.Broadcast(node, begin, 0); err != nil {
		return s, err
	}
	rows, err := fagus.NewArray[float64](node, name, len(val)+len(right))
	if err != nil {
		return s, err
	}
	columns, err := fagus.NewArray[int](node, name+" columns", len(col))
	if err != nil {
		return s, err
	}
	var guards []*fagus.SyncVar
	var wants []fagus.Request
	for rank := range node.Nodes() {
		lo, hi := parts.Block(len(right), node.Nodes(), rank)
		ranges := []fagus.Range{rows.Range(begin[lo], begin[hi]), rows.Range(len(val)+lo, len(val)+hi), columns.Range(begin[lo], begin[hi])}
		if lo == hi {
			break
		}
		v, err := node.Bind(fmt.Sprintf("%s.%d", name, rank), ranges...)
		if err != nil {
			return s, err
		}
		guards = append(guards, v)
		if me == 0 {
			wants = append(wants, v.Write().Writing(ranges...))
		}
	}
	if err := phase(node, node.Set(wants...), func() {
		if me == 0 {
			copy(rows.Slice(), val)
			copy(rows.Slice()[len(val):], right)
			copy(columns.Slice(), col)
		}
	}); err != nil {
		return s, err
	}
	s.lo, s.hi = parts.Block(len(right), node.Nodes(), me)
	wants = nil
	if s.lo < s.hi {
		wants = append(wants, guards[me].Read())
	}
	return s, phase(node, node.Set(wants...), func() {
		from, to := begin[s.lo], begin[s.hi]
		s.val, s.col = append(s.val, rows.Slice()[from:to]...), append(s.col, columns.Slice()[from:to]...)
		s.right = append(s.right, rows.Slice()[len(val)+s.lo:len(val)+s.hi]...)
		for _, at := range begin[s.lo : s.hi+1] {
			s.begin = append(s.begin, at-from)
		}
		s.x, s.q, s.r = make([]float64, s.hi-s.lo), make([]float64, s.hi-s.lo), append(s.r, s.right...)
	})
}

// Gradients is [programs.Gradients]. A rank keeps its rows private. All ranks read the direction as
// a whole. A step takes two phases for it, and two sums.
func Gradients(node *fagus.Node, x, right, val []float64, begin, col []int, steps int) (rr float64, err error) {
	s, err := distribute(node, right, val, begin, col)
	if err != nil {
		return 0, err
	}
	p, err := parts.NewWhole[float64](node, again(node, "direction"), len(x))
	if err != nil {
		return 0, err
	}
	work := fagus.Time(s.hi-s.lo) * fagus.Nanosecond
	node.Spend(work)
	if rr, err = fagus.Reduce(node, programs.Dot(s.r, s.r), plus[float64]); err != nil {
		return 0, err
	}
	direction := append([]float64(nil), s.r...)
	for range steps {
		if err := p.Fill(func(mine []float64) { copy(mine, direction) }); err != nil {
			return 0, err
		}
		pq := 0.0
		if err := p.Read(func(all []float64) {
			programs.Multiply(s.q, all, s.val, s.begin, s.col)
			pq = programs.Dot(direction, s.q)
			node.Spend(2 * work)
		}); err != nil {
			return 0, err
		}
		if pq, err = fagus.Reduce(node, pq, plus[float64]); err != nil {
			return 0, err
		}
		before := rr
		rr = programs.Advance(s.x, s.r, direction, s.q, rr/pq)
		node.Spend(work)
		if rr, err = fagus.Reduce(node, rr, plus[float64]); err != nil {
			return 0, err
		}
		programs.Turn(direction, s.r, rr/before)
		node.Spend(work)
	}
	out, err := parts.NewBlocks[float64](node, again(node, "x"), len(x), 1)
	if err != nil {
		return 0, err
	}
	if err := phase(node, node.Set(out.WantFill()...), func() { copy(out.Mine(), s.x) }); err != nil {
		return 0, err
	}
	var wants []fagus.Request
	if node.Rank() == 0 {
		wants = out.WantAll(fagus.Shared)
	}
	return rr, phase(node, node.Set(wants...), func() {
		if node.Rank() == 0 {
			copy(x, out.Slice())
		}
	})
}
