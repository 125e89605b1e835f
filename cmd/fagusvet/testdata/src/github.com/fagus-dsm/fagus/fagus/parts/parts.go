// Package parts declares the methods of the real package that the rules know.
package parts

import "github.com/fagus-dsm/fagus/fagus"

type (
	Pair[T any] struct{ node *fagus.Node }
	Queue       struct{ node *fagus.Node }
)

func (p *Pair[T]) Fill(f func() error) error { return f() }
func (p *Pair[T]) Step(f func() error) error { return f() }

func (q *Queue) Next(deliver func(), with ...fagus.Request) (lo, hi int, err error) {
	deliver()
	return 0, 0, nil
}

func Timed(n *fagus.Node, f func() error) (int, error) { return 0, f() }
