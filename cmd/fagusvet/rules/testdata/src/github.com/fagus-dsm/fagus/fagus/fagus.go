// Package fagus declares the functions of the real package that the rules know.
package fagus

import "context"

type Time int64

type (
	Access       uint8
	Config       struct{ Nodes int }
	Report       struct{}
	Node         struct{ rank int }
	SyncVar      struct{}
	SyncSet      struct{}
	Range        struct{}
	Request      struct{}
	elements     struct{ length int }
	Array[T any] struct {
		elements
		all []T
	}

	Guarded[T any] struct {
		*Array[T]
		Var *SyncVar
	}
)

const (
	Shared Access = iota
	Exclusive
)

func Run(ctx context.Context, cfg Config, program func(*Node) error) (Report, error) {
	return Report{}, program(new(Node))
}

func NewArray[T any](n *Node, name string, length int) (*Array[T], error) {
	return &Array[T]{elements{length}, make([]T, length)}, nil
}

func NewGuarded[T any](n *Node, name string, length int) *Guarded[T] {
	return &Guarded[T]{&Array[T]{elements{length}, make([]T, length)}, new(SyncVar)}
}

func (g *Guarded[T]) Read() Request  { return g.Var.Read() }
func (g *Guarded[T]) Write() Request { return g.Var.Write() }

func (v *SyncVar) Read() Request  { return Want(v, Shared) }
func (v *SyncVar) Write() Request { return Want(v, Exclusive) }

func Reduce[T int | float64](n *Node, x T, combine func(a, b T) T) (T, error) { return x, nil }

func Gather[T int | float64](n *Node, x T) ([]T, error) { return []T{x}, nil }

func (a *elements) All() Range             { return Range{} }
func (a *elements) Range(lo, hi int) Range { return Range{} }
func (a *Array[T]) Slice() []T             { return a.all }
func (a *Array[T]) Copy() []T              { return a.all }
func (a *elements) Len() int               { return a.length }

func (n *Node) Bind(name string, ranges ...Range) (*SyncVar, error) { return new(SyncVar), nil }
func (n *Node) Set(requests ...Request) *SyncSet                    { return new(SyncSet) }
func (n *Node) Acquire(set *SyncSet) error                          { return nil }
func (n *Node) Release(set *SyncSet) error                          { return nil }
func (n *Node) During(set *SyncSet, f func() error) error           { return f() }
func (n *Node) Measure(f func() error) (Time, error)                { return 0, f() }
func (n *Node) Update() error                                       { return nil }
func (n *Node) Barrier() error                                      { return nil }
func (n *Node) Fence() error                                        { return nil }
func (n *Node) Context() context.Context                            { return context.Background() }
func (n *Node) Err() error                                          { return nil }
func (n *Node) Rank() int                                           { return n.rank }
func (n *Node) Nodes() int                                          { return 1 }

func (n *Node) AcquireWhen(set *SyncSet, ready func() bool) error { return nil }
func (s *SyncSet) DoWhen(ready func() bool, f func()) error       { f(); return nil }

func (s *SyncSet) Do(f func()) error { f(); return nil }

func Want(v *SyncVar, access Access) Request { return Request{} }

func (r Request) Writing(ranges ...Range) Request { return r }
func (r Request) Reporting() Request              { return r }
func (r Request) Unordered() Request              { return r }
