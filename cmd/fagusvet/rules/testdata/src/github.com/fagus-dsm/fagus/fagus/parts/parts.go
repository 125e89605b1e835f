// Package parts declares the functions of the real package that the rules know.
package parts

import (
	"iter"

	"github.com/fagus-dsm/fagus/fagus"
)

type (
	Pair[T any]     struct{ node *fagus.Node }
	Fields          struct{ node *fagus.Node }
	List[T any]     struct{ node *fagus.Node }
	Channel[T any]  struct{ node *fagus.Node }
	Vectors[T any]  struct{ node *fagus.Node }
	AllToAll[T any] struct{ node *fagus.Node }
	Sums[T any]     struct{ node *fagus.Node }
	Pool[T any]     struct{ node *fagus.Node }
	Queue           struct{ node *fagus.Node }

	Blocks[T any] struct {
		*fagus.Array[T]
		blocks
	}
	blocks struct{ node *fagus.Node }

	Table[K comparable, V any] struct{ node *fagus.Node }
	Entry[K comparable, V any] struct {
		Key   K
		Value V
	}

	Results struct {
		Want  func(b int) fagus.Request
		Store func(b int)
	}
	Exchange struct {
		Want func() []fagus.Request
		Do   func()
	}
)

func NewBlocks[T any](n *fagus.Node, name string, items, unit int) (*Blocks[T], error) {
	a, err := fagus.NewArray[T](n, name, items*unit)
	return &Blocks[T]{a, blocks{n}}, err
}

func (b *blocks) WantMine(access fagus.Access) []fagus.Request { return nil }

func NewVectors[T any](n *fagus.Node, name string, length int) (*Vectors[T], error) {
	return &Vectors[T]{n}, nil
}

func NewAllToAll[T any](n *fagus.Node, name string, capacity int) (*AllToAll[T], error) {
	return &AllToAll[T]{n}, nil
}

func NewTable[K comparable, V any](n *fagus.Node, name string, compare func(a, b K) int, combine func(a, b V) V) (*Table[K, V], error) {
	return &Table[K, V]{n}, nil
}

func NewQueue(n *fagus.Node, name string, items, batch int) (*Queue, error) { return &Queue{n}, nil }

func NewPool[T any](n *fagus.Node, name string, capacity int) (*Pool[T], error) {
	return &Pool[T]{n}, nil
}

func (p *Pair[T]) Fill(f func() error) error { return f() }
func (p *Pair[T]) Step(f func() error) error { return f() }

type field interface{ Fill(f func() error) error }

func Together(pairs ...field) *Fields { return new(Fields) }

func (s *Fields) Fill(f func() error) error { return f() }
func (s *Fields) Step(f func() error) error { return f() }

func NewList[T any](n *fagus.Node, name string, room int) (*List[T], error) { return &List[T]{n}, nil }

func (l *List[T]) Read() fagus.Request       { return fagus.Request{} }
func (l *List[T]) Write() fagus.Request      { return fagus.Request{} }
func (l *List[T]) Len() int                  { return 0 }
func (l *List[T]) At(i int) (v T, err error) { return v, nil }
func (l *List[T]) Append(values ...T) error  { return nil }

func NewChannel[T any](n *fagus.Node, name string, capacity, senders int) (*Channel[T], error) {
	return &Channel[T]{n}, nil
}

func (c *Channel[T]) All() iter.Seq2[T, error]           { return nil }
func (c *Channel[T]) Send(value T) error                 { return nil }
func (c *Channel[T]) Receive() (v T, ok bool, err error) { return v, false, nil }
func (c *Channel[T]) Close() error                       { return nil }

func Gather[T any](n *fagus.Node, v T) ([]T, error)                       { return nil, nil }
func Reduce[T any](n *fagus.Node, v T, combine func(a, b T) T) (T, error) { return v, nil }

func (v *Vectors[T]) Gather(x []T, read func(from [][]T)) error            { read([][]T{x}); return nil }
func (v *Vectors[T]) Reduce(x []T, combine func(a, b T) T) error           { return nil }
func Broadcast[T any](n *fagus.Node, x []T, from int) (all []T, err error) { return x, nil }

func (a *AllToAll[T]) Exchange(send, receive func([][]T)) error {
	send(nil)
	receive(nil)
	return nil
}

func (t *Table[K, V]) Add(key K, value V)                       {}
func (t *Table[K, V]) Merge() error                             { return nil }
func (t *Table[K, V]) Mine() []Entry[K, V]                      { return nil }
func (t *Table[K, V]) Collect(at ...int) ([]Entry[K, V], error) { return nil, nil }

func (q *Queue) Batch(b int) (lo, hi int) { return b, b + 1 }

func (q *Queue) EachInRounds(work func(b int) error, r Results) error { return q.Each(work, r) }

func (q *Queue) Each(work func(b int) error, r Results) error {
	r.Store(0)
	return work(0)
}

func (p *Pool[T]) Each(first []T, work func(t T, add func(T)) error, x Exchange) error { return nil }

func Timed(n *fagus.Node, f func() error) (fagus.Time, error) { return 0, f() }

func NewLists[T any](n *fagus.Node, name string, count, room int) ([]*List[T], error) {
	return []*List[T]{{n}}, nil
}
