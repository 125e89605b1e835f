package plan

import "github.com/fagus-dsm/fagus/cmd/fagusc/internal/loops"

// Choosable reports whether there is a choice between one rank and all. Otherwise the function
// always runs on all ranks: its cost is unknown, or one rank cannot execute it for the others.
func (p *Plan) Choosable() bool {
	for _, s := range p.Steps {
		if _, known := s.Work(); !known {
			return false
		}
	}
	return p.of.Callable
}

// Counter is told how often steps and work take place in a function.
type Counter interface {
	Meets()
	Works(s *loops.Step, w loops.Work)
	Scatters(w loops.Work)
	Each(l *loops.Loop, inside func())
	// Repeats is told of a loop that is planned once; known: its bounds are known before.
	Repeats(l *loops.Loop, known bool, inside func())
	Under(c *loops.Cond, inside func())
}

// Count tells c how often steps and work take place.
func (p *Plan) Count(c Counter) { count(c, p.Items) }

func count(c Counter, items []*Item) {
	for _, it := range items {
		inside := func() { count(c, it.Items) }
		switch it.Kind {
		case Do:
			countStep(c, it.Step)
		case Fence:
			for range it.Folds {
				c.Meets()
			}
		case Each:
			c.Each(it.Loop, inside)
		case Repeat:
			c.Repeats(it.Loop, it.Known, inside)
		case If:
			c.Under(it.Cond, inside)
		default:
			inside()
		}
	}
}

func countStep(c Counter, s *loops.Step) {
	meetings := 1 + 2*len(s.Elements())
	if s.FoldedArray().Array != nil {
		meetings++
	}
	for range meetings {
		c.Meets()
	}
	work, _ := s.Work()
	for _, w := range work {
		c.Works(s, w)
	}
	for _, w := range s.Scattered() {
		c.Scatters(w)
	}
}
