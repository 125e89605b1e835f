package parts

import "github.com/fagus-dsm/fagus/fagus"

// SetMost sets how many bytes from one rank go in two steps.
func (a *AllToAll[T]) SetMost(bytes int) { a.most = bytes }

// NewWholeInSteps is NewWhole, with a choice of the way.
func NewWholeInSteps[T any](n *fagus.Node, name string, length int, inSteps bool) (*Whole[T], error) {
	return newWhole[T](n, name, length, inSteps)
}

// NewSumsBy is NewSums, with a choice of the way.
func NewSumsBy[T Number](n *fagus.Node, name string, length int, scatter bool) (*Sums[T], error) {
	return newSums[T](n, name, length, scatter)
}

// NewVectorsInSteps is NewVectors, with a choice of the way.
func NewVectorsInSteps[T any](n *fagus.Node, name string, length int, inSteps bool) (*Vectors[T], error) {
	return newVectors[T](n, name, length, inSteps)
}

// AwaitPart waits until a part of a value was sent.
func (c *Channel[T]) AwaitPart() error {
	return c.set.DoWhen(func() bool { return c.look()[writing] != 0 }, func() {})
}

// AwaitClose waits until a rank has called Close.
func (c *Channel[T]) AwaitClose() error {
	return c.set.DoWhen(func() bool { return c.look()[closed] != 0 }, func() {})
}

// SetAdds makes e as near to a carry as after so many additions since the last one.
func (e *Exact) SetAdds(adds int) { e.adds = adds }

// MostAdds is the number of additions at which an Exact propagates its carries.
const MostAdds = mostAdds

// Adds returns the number of additions since the last carry.
func (e *Exact) Adds() int { return e.adds }
