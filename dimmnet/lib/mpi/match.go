package mpi

import (
	"fmt"
	"slices"
)

// A message matches a receive if their contexts are equal, and source and tag are equal or
// wildcards. A rank's messages arrive in the order sent, so the first match is the right one.

func (r *Request) fits(env *envelope) bool {
	return r.context == env.context && (r.source == AnySource || r.source == env.rank) && (r.tag == AnyTag || r.tag == env.tag)
}

func (e *engine) matchPosted(env *envelope) *Request {
	i := slices.IndexFunc(e.posted, func(r *Request) bool { return r.fits(env) })
	if i < 0 {
		return nil
	}
	r := e.posted[i]
	e.posted = slices.Delete(e.posted, i, i+1)
	return r
}

func (e *engine) matchUnexpected(r *Request) int { return slices.IndexFunc(e.unexpected, r.fits) }

// post begins a receive. It searches the unexpected queue first.
func (e *engine) post(r *Request) error {
	i := e.matchUnexpected(r)
	if i < 0 {
		e.posted = append(e.posted, r)
		return nil
	}
	env := e.unexpected[i]
	e.unexpected = slices.Delete(e.unexpected, i, i+1)
	return e.accept(r, env)
}

func (c *Comm) checkSender(env *envelope) error {
	if env.rank >= len(c.group) || c.group[env.rank] != env.src {
		return fmt.Errorf("message names rank %d in context %d as its sender, which is another rank", env.rank, env.context)
	}
	return nil
}
