package region

import (
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus"
)

// Reduction combines several numbers and arrays of all ranks at once. It costs less than a
// fagus.Reduce for each number.
//
//	r := region.NewReduction(n)
//	region.Join(r, &sums, add)     // a [100]float64
//	region.Join(r, &count, addInt) // an int
//	err := r.Do()                  // sums and count are now over all ranks
type Reduction struct {
	node  *fagus.Node
	words []uint64
	joins []join
}

// join is one variable of a reduction.
type join struct {
	words   int
	combine func(a, b []uint64) // to a
	set     func(words []uint64)
}

// NewReduction returns a reduction of nothing.
func NewReduction(n *fagus.Node) *Reduction { return &Reduction{node: n} }

// Join adds a variable x to a reduction: a number E, or an array, or an array of arrays, of numbers
// E. Elements are combined in the order of the ranks, as by fagus.Reduce.
func Join[T any, E fagus.Word](r *Reduction, x *T, combine func(a, b E) E) {
	var zero E
	own := unsafe.Slice((*E)(unsafe.Pointer(x)), unsafe.Sizeof(*x)/unsafe.Sizeof(zero))
	for _, e := range own {
		r.words = append(r.words, fagus.WordOf(e))
	}
	r.joins = append(r.joins, join{len(own), func(a, b []uint64) {
		for i := range a {
			a[i] = fagus.WordOf(combine(fagus.NumberOf[E](a[i]), fagus.NumberOf[E](b[i])))
		}
	}, func(words []uint64) {
		for i, w := range words {
			own[i] = fagus.NumberOf[E](w)
		}
	}})
}

// All returns an array, or an array of arrays, of which all elements have a value.
func All[T any, E fagus.Word](value E) (x T) {
	for i := range unsafe.Sizeof(x) / unsafe.Sizeof(value) {
		*(*E)(unsafe.Add(unsafe.Pointer(&x), i*unsafe.Sizeof(value))) = value
	}
	return x
}

// Do sets all variables that have joined, on all ranks. It is collective: all ranks have joined
// variables of the same types, in the same order, with equivalent functions, and hold no set.
func (r *Reduction) Do() (err error) {
	if len(r.words) == 0 || r.node.Nodes() == 1 {
		return nil
	}
	result := r.words
	if r.node.Folds() {
		result, err = r.node.Fold(r.words, fagus.Fold{Of: r.combined})
	} else if all, failed := r.gather(); failed == nil {
		result = r.combined(all)
	} else {
		err = failed
	}
	if err != nil {
		return err
	}
	for _, j := range r.joins {
		j.set(result[:j.words])
		result = result[j.words:]
	}
	return nil
}

// combined combines vectors of words.
func (r *Reduction) combined(vectors []uint64) []uint64 {
	n := len(r.words)
	result := append([]uint64(nil), vectors[:n]...)
	for vectors = vectors[n:]; len(vectors) > 0; vectors = vectors[n:] {
		at := 0
		for _, j := range r.joins {
			j.combine(result[at:at+j.words], vectors[at:at+j.words])
			at += j.words
		}
	}
	return result
}

// gather returns the vectors of all ranks, by rank, in two phases.
func (r *Reduction) gather() (all []uint64, err error) {
	n := len(r.words)
	p := Open(r.node, "region.Reduction")
	vectors := Make[uint64](p, "vectors", r.node.Nodes()*n)
	var steps struct{ write, read int }
	if !Known(p, &steps) {
		p.Begin()
		steps.write, steps.read = p.Step(), p.Step()
		for rank := range p.Nodes() {
			p.Overwrites(steps.write, rank, 0).Add(rank*n, rank*n+n)
			p.Reads(steps.read, rank, 0).Add(0, len(vectors))
		}
	}
	if err := p.Share(); err != nil {
		return nil, err
	}
	if err := p.Enter(steps.write); err != nil {
		return nil, err
	}
	copy(vectors[r.node.Rank()*n:], r.words)
	if err := p.Leave(steps.write); err != nil {
		return nil, err
	}
	if err := p.Enter(steps.read); err != nil {
		return nil, err
	}
	all = append(all, vectors...)
	if err := p.Leave(steps.read); err != nil {
		return nil, err
	}
	return all, p.Finish()
}
