package many

import (
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

// stepTime is the cost of a step of addUp on the papers' machine, a Pentium III at 950 MHz: two
// dependent additions with carry, and a branch in parallel.
const stepTime = 2 * 1053 * fagus.Nanosecond / 1000

// chunkSteps is the number of steps between two checks of Node.Err: about 20 ms of work.
const chunkSteps = 1 << 26

// compute performs the rank's work of a round: it adds up the numbers from 0, one per step.
func (s *shared) compute() (sum uint64) {
	steps := s.steps(s.node.Rank(), s.node.Nodes())
	for from := 0; from < steps && s.node.Err() == nil; from += chunkSteps {
		to := min(steps, from+chunkSteps)
		sum = addUp(sum, from, to)
		s.node.Spend(fagus.Time(to-from) * stepTime)
	}
	return sum
}

// addUp returns sum plus each number i with from <= i < to.
func addUp(sum uint64, from, to int) uint64 {
	for i := from; i < to; i++ {
		sum += uint64(i)
	}
	return sum
}

// ticket returns a number that differs for every rank and round.
func ticket(rank, round, nodes int) uint64 { return uint64(round*nodes + rank + 1) }

// expected returns the sum of all amounts that were added to the elements of group g, by a closed
// form. All sums are modulo 2^64.
func (s *shared) expected(g int) (sum uint64) {
	nodes := s.node.Nodes()
	for rank := range nodes {
		// The rank has group g in the rounds first, first+nodes, first+2*nodes, ...
		first, apart := (g-rank+nodes)%nodes, nodes
		if s.Independent {
			if rank != g {
				continue
			}
			first, apart = 0, 1
		}
		rounds := s.RoundsOf(rank, nodes)
		if first >= rounds {
			continue
		}
		visits := uint64((rounds-first-1)/apart + 1)
		steps := uint64(s.steps(rank, nodes))
		sum += visits*ticket(rank, first, nodes) + triangle(visits)*uint64(apart*nodes) + visits*triangle(steps)
	}
	return sum
}

// triangle returns 0 + 1 + ... + (n-1), for n up to 2^63.
func triangle(n uint64) uint64 {
	if n%2 == 0 {
		return n / 2 * (n - 1)
	}
	return (n - 1) / 2 * n
}

// verify acquires all elements and returns how many of them differ from the closed form.
func (s *shared) verify() (wrong int) {
	verify.Everything(s.node, s.variables).Do(func() {
		all := s.elements.Slice()
		perGroup := s.Variables * s.size()
		for g := range s.node.Nodes() {
			sum := s.expected(g)
			for i := g * perGroup; i < (g+1)*perGroup; i++ {
				if all[i] != sum*uint64(i+1) {
					wrong++
				}
			}
		}
	})
	return wrong
}
