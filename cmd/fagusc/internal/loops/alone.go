package loops

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// sequential decides on a loop that is not parallel: every rank executes it around parallel loops,
// or one rank executes all of it, if it has none and writes arrays.
func (s *Schedule) sequential(f *Function, v *Verdict) error {
	n := v.Node
	refused := &Refusal{n.Pos, fmt.Sprintf("the loop%s cannot be parallel: %s", named(n.Loop), strings.Join(v.Reasons, "; ")), n}
	inner := newSchedule(s.deepest)
	var err error
	switch {
	case !slices.ContainsFunc(n.Children, (*Node).loops) || n.Opaque != "" || n.Loop.Leaves:
		err = refused
	case slices.ContainsFunc(n.Own, func(a Action) bool { return a.Access != nil }):
		refused.Message += "; and the loop header reads an array"
		err = refused
	default:
		if err = inner.list(f, n.Children); err == nil && len(inner.alone) > 0 {
			refused.because(inner.alone[0])
		} else if err != nil {
			refused.because(err)
		}
	}
	s.deep = s.deep || inner.deep
	together := err == nil && (inner.divides() || len(inner.alone) == 0)
	switch {
	case !together && s.serial(f, n):
		s.alone = append(s.alone, refused)
		s.Verdicts = append(append(s.Verdicts, v), inner.Verdicts...)
		s.add(&Step{Kind: Serial, Node: n, Owner: firstWrite(n)})
	case err == nil:
		s.Verdicts = append(append(s.Verdicts, v), inner.Verdicts...)
		s.alone = append(s.alone, inner.alone...)
		maps.Copy(s.Steps, inner.Steps)
		maps.Copy(s.Written, inner.Written)
	default:
		return refused
	}
	return nil
}

// because adds what is in the way inside the loop.
func (r *Refusal) because(err error) {
	r.Message += "\n\t" + err.Error()
	r.loop = nil
	if inner := (*Refusal)(nil); errors.As(err, &inner) {
		r.loop = inner.loop
	}
}

// divides reports whether a step is parallel.
func (s *Schedule) divides() bool {
	for _, step := range s.Steps {
		if step.Kind == Parallel {
			return true
		}
	}
	return false
}

// serial reports whether one rank may execute all of a loop: the loop writes arrays but no variable
// that other ranks need, and has no parallel loop inside.
func (s *Schedule) serial(f *Function, n *Node) bool {
	if _, writes, scalars := n.touches(); !writes || n.Loop.Exchanges || n.known() != nil || scalars && s.leaks(f, n) {
		return false
	}
	for m := range n.All() {
		if m == n || m.Loop == nil {
			continue
		}
		if _, writes, _ := m.touches(); (writes || s.folds(m)) && len(f.judge(m, s.deepest).Reasons) == 0 {
			return false
		}
	}
	return true
}

// firstWrite returns the first write of a node, with the subscript that it has in the first
// iteration of the loops inside; nil if that is unknown.
func firstWrite(n *Node) *Access {
	for m := range n.All() {
		for _, a := range m.Own {
			if a.Access == nil || !a.Access.Write {
				continue
			}
			if a.Access.At == nil {
				return nil
			}
			at := *a.Access.At
			for inner := m; inner != n.parent; inner = inner.parent {
				l := inner.Loop
				if l == nil || l.Index == nil || !at.Mentions(l.Index) {
					continue
				}
				if l.Down || len(l.Lo) != 1 {
					return nil
				}
				if at = at.Replace(l.Index, l.Lo[0]); at.Mentions(l.Index) { // in a division
					return nil
				}
			}
			first := *a.Access
			first.At = &at
			return &first
		}
	}
	return nil
}
