package many

import "github.com/fagus-dsm/fagus/fagus"

// stepTime is what a step of addUp takes on the papers' machine, a Pentium III of
// 950 MHz: two additions with carry that wait for each other, and a branch beside
// them.
const stepTime = 2 * 1053 * fagus.Nanosecond / 1000

// chunkSteps is how many steps there are between two looks at whether the run goes on:
// some 20 ms.
const chunkSteps = 1 << 26

// compute adds up the numbers below the rank's steps, one after another: work whose
// result is known beforehand.
func (s *shared) compute() (sum uint64, err error) {
	steps := s.steps(s.node.Rank(), s.node.Nodes())
	for from := 0; from < steps; from += chunkSteps {
		to := min(steps, from+chunkSteps)
		sum = addUp(sum, from, to)
		s.node.Spend(fagus.Time(to-from) * stepTime)
		if err := s.node.Err(); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// addUp adds the numbers from from up to but not including to.
func addUp(sum uint64, from, to int) uint64 {
	for i := from; i < to; i++ {
		sum += uint64(i)
	}
	return sum
}

// ticket is another number for every rank and round.
func ticket(rank, round, nodes int) uint64 { return uint64(round*nodes + rank + 1) }

// expected is the sum of all amounts that were added to the elements of group g,
// without adding them one by one. Everything is modulo 2^64, as in the rounds.
func (s *shared) expected(g int) (sum uint64) {
	nodes := s.node.Nodes()
	for rank := range nodes {
		// The group comes to the rank in rounds first, first+nodes, first+2*nodes, ...
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

// triangle is 0 + 1 + ... + (n-1), for n up to 2^63.
func triangle(n uint64) uint64 {
	if n%2 == 0 {
		return n / 2 * (n - 1)
	}
	return (n - 1) / 2 * n
}

// verify acquires everything and counts the elements that differ from the closed
// form.
func (s *shared) verify() (wrong int, err error) {
	var wants []fagus.Request
	for _, v := range s.variables {
		wants = append(wants, fagus.Want(v, fagus.Shared))
	}
	set := s.node.Set(wants...)
	if err := s.node.Acquire(set); err != nil {
		return 0, err
	}
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
	return wrong, s.node.Release(set)
}
