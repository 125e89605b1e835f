package mpi

import (
	"fmt"
	"slices"
)

// A message fits a receive if the context is the same, and source and tag are or the receive
// takes any. Messages of one rank come in the order sent, so the first that fits is the one.

func (r *Request) fits(env *envelope) bool {
	return r.context == env.context && (r.source == AnySource || r.source == env.rank) && (r.tag == AnyTag || r.tag == env.tag)
}

// takePosted removes the first posted receive that env fits.
func (e *engine) takePosted(env *envelope) *Request {
	i := slices.IndexFunc(e.posts, func(r *Request) bool { return r.fits(env) })
	if i < 0 {
		return nil
	}
	r := e.posts[i]
	e.posts = slices.Delete(e.posts, i, i+1)
	return r
}

// findEarly is where the first unexpected message is that fits r; -1: none.
func (e *engine) findEarly(r *Request) int {
	return slices.IndexFunc(e.early, r.fits)
}

// post begins a receive: the unexpected queue first.
func (e *engine) post(r *Request) error {
	i := e.findEarly(r)
	if i < 0 {
		e.posts = append(e.posts, r)
		return nil
	}
	env := e.early[i]
	e.early = slices.Delete(e.early, i, i+1)
	return e.accept(r, env)
}

// sentBy checks that the rank in an envelope is the one whose ring it came by.
func (c *Comm) sentBy(env *envelope) error {
	if env.rank >= len(c.group) || c.group[env.rank] != env.src {
		return fmt.Errorf("a message of rank %d in context %d: it is not that rank", env.rank, env.context)
	}
	return nil
}
