// Package errgroup declares what the rules know of the real package.
package errgroup

type Group struct{}

func (g *Group) Go(f func() error) { go f() }
func (g *Group) Wait() error       { return nil }
