package analysis

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// leastBinding is the mean of the bytes that arrive at once from which on a variable may be too
// large.
const leastBinding = 1 << 10

// bindings tries to move nothing of a group of variables.
func (p *predictor) bindings() {
	steps, all := p.stepBytes(), uint64(0)
	for _, g := range p.res.Groups {
		all += g.Arrived
	}
	for _, g := range p.res.Groups {
		if g.Arrivals == 0 || g.Arrived/g.Arrivals < leastBinding || float64(g.Arrived) < leastShare*float64(all) {
			continue
		}
		in := p.of(g.Name)
		a := Advice{Kind: Binding, Variable: g.Name, Most: true, If: "the ranks that get it use only a small part of it",
			What: fmt.Sprintf("%s of %q move to ranks, %s at a time", bytesText(g.Arrived), g.Name, bytesText(g.Arrived/g.Arrivals)),
			Do:   "bind the part that others use, such as the edge of a block, to a variable of its own"}
		if line := p.arrivesAt(in); line != "" {
			a.Line = line
			a.What += ", most of them at " + line
		}
		still := func(_ int, acts []act) []act {
			for i := range acts {
				share := p.portion(&acts[i], in)
				if all := steps[acts[i].step]; share == 0 && acts[i].moving > 0 && all != nil {
					share = all.share(in) // the rank sends
				}
				acts[i].still(share)
			}
			return acts
		}
		p.advise(a, still)
		if p.madeElsewhere(in) {
			p.advise(Advice{Kind: Placement, Variable: g.Name, Line: a.Line, If: "they can make it",
				What: fmt.Sprintf("one rank makes %q, and another one uses it: %s move", g.Name, bytesText(g.Arrived)),
				Do:   "let the ranks that use it make it, too"}, still)
		}
	}
}

// madeElsewhere reports whether each of some variables is written by one rank and read by one
// other, and they are most of what ranks write: edges of blocks are not.
func (p *predictor) madeElsewhere(in map[int32]bool) bool {
	writers, readers := make(map[int32]int), make(map[int32]int)
	several := make(map[int32]bool) // variables with more than one writer, or reader
	note := func(by map[int32]int, id int32, rank int) {
		if was, known := by[id]; known && was != rank {
			several[id] = true
		}
		by[id] = rank
	}
	of, all := uint64(0), uint64(0)
	for r, acts := range p.acts {
		for i := range acts {
			for _, w := range acts[i].of.wrote {
				if all += w.Bytes; in[w.ID] {
					of += w.Bytes
					note(writers, w.ID, r)
				}
			}
			for _, d := range acts[i].of.arrived {
				if in[d.ID] {
					note(readers, d.ID, r)
				}
			}
		}
	}
	for id := range readers {
		if _, written := writers[id]; !written || several[id] {
			return false
		}
	}
	return 2*of > all
}

// stepArrivals are the bytes of each variable that arrive in a step.
type stepArrivals map[int32]uint64

func (s stepArrivals) share(in map[int32]bool) float64 {
	of, all := uint64(0), uint64(0)
	for id, bytes := range s {
		all += bytes
		if in[id] {
			of += bytes
		}
	}
	if all == 0 {
		return 0
	}
	return float64(of) / float64(all)
}

// stepBytes returns what arrives in each step of Phase mode: ranks that only send have no
// arrivals, and take as long.
func (p *predictor) stepBytes() map[uint64]stepArrivals {
	steps := make(map[uint64]stepArrivals)
	if !p.phases {
		return steps
	}
	for _, acts := range p.acts {
		for i := range acts {
			for _, d := range acts[i].of.arrived {
				s := steps[acts[i].step]
				if s == nil {
					s = make(stepArrivals)
					steps[acts[i].step] = s
				}
				s[d.ID] += d.Bytes
			}
		}
	}
	return steps
}

// arrivesAt returns the line at which most data of some variables arrive.
func (p *predictor) arrivesAt(in map[int32]bool) string {
	bytes := make(map[int32]Time)
	for _, acts := range p.acts {
		for i := range acts {
			for _, d := range acts[i].of.arrived {
				if in[d.ID] {
					bytes[acts[i].line] += Time(d.Bytes)
				}
			}
		}
	}
	line, _ := longest(bytes)
	return p.line(line)
}

// bytesText returns a number of bytes with a unit.
func bytesText(n uint64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// placement tries one copy of the arrays for all ranks: nothing moves, and Release compares
// nothing.
func (p *predictor) placement() {
	arrived := uint64(0)
	for _, g := range p.res.Groups {
		arrived += g.Arrived
	}
	if !p.inMemory() || arrived == 0 {
		return
	}
	a := Advice{Kind: Placement, What: fmt.Sprintf("the ranks share memory, and have copies of the arrays of their own: %s move", bytesText(arrived)),
		Do: "let the ranks use one copy (--placement shared)", If: "no rank uses what it does not hold and others may change"}
	p.advise(a, func(_ int, acts []act) []act {
		for i := range acts {
			if acts[i].still(1); acts[i].call == rollcall.Release {
				declared(acts[:i+1])
			}
		}
		return acts
	})
}
