package parts

import (
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
)

// Pair is two grids of one shape, for a program that computes the next value of every point from
// the present values around it. A Step is one phase in phase mode.
//
//	p, err := parts.NewPair[int8](n, "cells", parts.Shape{Rows: 500, Columns: 500, Halo: 1})
//	lo, hi := p.Now.Mine()
//	err = p.Fill(func() error { ... p.Next.Row(i) ... }) // the first values of rows lo to hi-1
//	for range generations {
//		err = p.Step(func() error {
//			for i := lo; i < hi; i++ {
//				next(p.Next.Row(i), p.Now.Row(i-1), p.Now.Row(i), p.Now.Row(i+1))
//			}
//			return nil
//		})
//	}
//
// Fill and Step end with a Fence, so a program needs no other Fence between a Step and a tenure
// that reads rows of Now, for example all of them: n.Set(p.Now.WantAll(fagus.Shared)...).
//
// While f of a Step runs, this rank's rows of Next still hold the state before Now. So a program
// that computes a state from the two before it, such as a wave, needs no third grid: it reads each
// element of Next, and then sets it. It calls Fill twice, for the first two states.
//
// Several pairs make their steps in one phase by [Together].
type Pair[T any] struct {
	Now, Next *Grid[T]
	alone     *Fields
	swaps     []int64 // how often they were swapped, for checkpoints
}

// NewPair makes the two grids. It is collective.
func NewPair[T any](n *fagus.Node, name string, s Shape) (*Pair[T], error) {
	now, err := NewGrid[T](n, name+".even", s)
	if err != nil {
		return nil, err
	}
	next, err := NewGrid[T](n, name+".odd", s)
	if err != nil {
		return nil, err
	}
	p := &Pair[T]{Now: now, Next: next, swaps: make([]int64, 1)}
	p.alone = Together(p)
	fagus.KeepCopy(n, name+".swaps", &p.swaps)
	n.OnResume(func() {
		if p.swaps[0]%2 == 1 {
			p.swap()
		}
	})
	return p, nil
}

// Fill calls f, which sets all of this rank's rows of Next. Then Next becomes Now. It is
// collective, ends with a Fence, and may be called again: see Pair.
func (p *Pair[T]) Fill(f func() error) error { return p.alone.Fill(f) }

// Step calls f, which sets all of this rank's rows of Next from its rows of Now and their halo.
// Then Next becomes Now. It is collective, and ends with a Fence. A row of Next that f does not set
// keeps its state of two steps ago.
func (p *Pair[T]) Step(f func() error) error { return p.alone.Step(f) }

func (p *Pair[T]) owner() *fagus.Node { return p.Now.node }

func (p *Pair[T]) requests(step bool) []fagus.Request {
	if step {
		return slices.Concat(p.Next.WantFill(), p.Now.WantMine(fagus.Shared), p.Now.WantHalo())
	}
	return p.Next.WantFill()
}

func (p *Pair[T]) swapped() {
	p.swap()
	p.swaps[0]++
}

func (p *Pair[T]) parity() int { return int(p.swaps[0] % 2) }

func (p *Pair[T]) swap() { p.Now, p.Next = p.Next, p.Now }
