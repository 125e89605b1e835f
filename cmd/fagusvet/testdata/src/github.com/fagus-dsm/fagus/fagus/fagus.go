// Package fagus declares the functions of the real package that the rules know.
package fagus

import "context"

type (
	Access       uint8
	Config       struct{ Nodes int }
	Report       struct{}
	Node         struct{ rank int }
	SyncVar      struct{}
	SyncSet      struct{}
	Range        struct{}
	Request      struct{}
	Array[T any] struct{ all []T }
)

const (
	Shared Access = iota
	Exclusive
)

func Run(ctx context.Context, cfg Config, program func(*Node) error) (Report, error) {
	return Report{}, program(new(Node))
}

func NewArray[T any](n *Node, name string, length int) (*Array[T], error) {
	return &Array[T]{make([]T, length)}, nil
}

func Reduce[T int | float64](n *Node, x T, combine func(a, b T) T) (T, error) { return x, nil }

func (a *Array[T]) All() Range             { return Range{} }
func (a *Array[T]) Range(lo, hi int) Range { return Range{} }
func (a *Array[T]) Slice() []T             { return a.all }

func (n *Node) Bind(name string, ranges ...Range) (*SyncVar, error) { return new(SyncVar), nil }
func (n *Node) Set(requests ...Request) *SyncSet                    { return new(SyncSet) }
func (n *Node) Acquire(set *SyncSet) error                          { return nil }
func (n *Node) Release(set *SyncSet) error                          { return nil }
func (n *Node) Update() error                                       { return nil }
func (n *Node) Barrier() error                                      { return nil }
func (n *Node) Err() error                                          { return nil }
func (n *Node) Rank() int                                           { return n.rank }
func (n *Node) Nodes() int                                          { return 1 }

func Want(v *SyncVar, access Access) Request { return Request{} }

func (r Request) Writing(ranges ...Range) Request { return r }
