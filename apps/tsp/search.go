package tsp

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
)

// tour is a way from city 0 through some cities, each once. Its Length has the way
// back from the last one only if it is a round trip, through all.
type tour struct {
	Length int32
	Count  int32
	Cities [MaxCities]uint8
}

// last is the city where the tour has come to.
func (t *tour) last() uint8 { return t.Cities[t.Count-1] }

// then is the tour extended by a city.
func (t *tour) then(city uint8, d *distances) tour {
	longer := *t
	longer.Length += d[t.last()][city]
	longer.Cities[t.Count] = city
	longer.Count++
	return longer
}

// visited is the set of its cities, a bit each.
func (t *tour) visited() (set uint32) {
	for _, c := range t.Cities[:t.Count] {
		set |= 1 << c
	}
	return set
}

const (
	// stepTime is what a step takes on the papers' machine: some 40 cycles of 1053 ps
	// for the bound, the comparison and a call.
	stepTime = 42 * fagus.Nanosecond
	// chunkSteps is how many steps there are between two looks at whether the run
	// goes on.
	chunkSteps = 1 << 16
)

// problem is the cities, and what bounds a tour from below.
type problem struct {
	cities int
	depth  int32 // cities of a tour that is searched to its end
	d      distances
	least  [MaxCities]int32 // the way from each city to its nearest
}

func newProblem(cfg Config) *problem {
	p := &problem{cities: cfg.Size(), depth: 3}
	if cfg.Depth > 0 {
		p.depth = int32(cfg.Depth)
	}
	if cfg.Instance == Burma14 {
		places := burma14()
		p.d = geographic(places[:])
	} else {
		p.d = plane(p.cities, cfg.Seed)
	}
	for a := range p.cities {
		p.least[a] = math.MaxInt32
		for b := range p.cities {
			if a != b {
				p.least[a] = min(p.least[a], p.d[a][b])
			}
		}
	}
	return p
}

// bound is what a round trip that begins with t has at least: every city that is
// still to be left is left for its nearest.
func (p *problem) bound(t *tour) int32 {
	length := t.Length + p.least[t.last()]
	visited := t.visited()
	for c := range p.cities {
		if visited>>c&1 == 0 {
			length += p.least[c]
		}
	}
	return length
}

// next are the tours that extend t by a city and may come to less than best, the
// longest bound first.
func (p *problem) next(t *tour, best int32) (list []tour) {
	visited := t.visited()
	for c := range uint8(p.cities) {
		if visited>>c&1 == 0 {
			if longer := t.then(c, &p.d); p.bound(&longer) < best {
				list = append(list, longer)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b tour) int { return cmp.Compare(p.bound(&b), p.bound(&a)) })
	return list
}

// nearest is a round trip that always goes to the nearest city: a first guess.
func (p *problem) nearest() tour {
	t := tour{Count: 1}
	for int(t.Count) < p.cities {
		var best tour
		visited := t.visited()
		for c := range uint8(p.cities) {
			if visited>>c&1 == 0 {
				if longer := t.then(c, &p.d); best.Count == 0 || longer.Length < best.Length {
					best = longer
				}
			}
		}
		t = best
	}
	t.Length += p.d[t.last()][0]
	return t
}

// length checks that t visits every city once, and adds up its way.
func (p *problem) length(t *tour) (int32, error) {
	if t.Count < 1 || int(t.Count) != p.cities || t.Cities[0] != 0 || t.visited() != 1<<p.cities-1 {
		return 0, fmt.Errorf("tsp: the best tour has %d cities, %v: want each of %d once, 0 first", t.Count, t.Cities, p.cities)
	}
	length := p.d[t.last()][0]
	for i := 1; i < p.cities; i++ {
		length += p.d[t.Cities[i-1]][t.Cities[i]]
	}
	return length, nil
}

// verify puts the best tour into r, with the optimum that it is held against.
func (p *problem) verify(best *tour, r *Result) error {
	length, err := p.length(best)
	if err != nil {
		return err
	}
	if length != best.Length {
		return fmt.Errorf("tsp: the best tour is said to have length %d, and has %d", best.Length, length)
	}
	for _, c := range best.Cities[:best.Count] {
		r.Tour = append(r.Tour, int(c))
	}
	r.Length, r.Optimum = int(length), int(heldKarp(&p.d, p.cities))
	return nil
}

// follow extends a short tour, and searches all that begins with a longer one for a round trip shorter than
// limit: the best has a Count. charge is told of every so many steps, and may end the search.
func (p *problem) follow(t *tour, limit int32, charge func(steps int) error) (push []tour, found tour, steps int, err error) {
	if p.bound(t) >= limit {
		return nil, tour{}, 0, nil
	}
	if t.Count < p.depth && int(t.Count) < p.cities {
		return p.next(t, limit), tour{}, 0, charge(p.cities)
	}
	down := descent{problem: p, tell: charge, limit: limit}
	visited, rest := t.visited(), int32(0)
	for c := range p.cities {
		if visited>>c&1 == 0 {
			rest += p.least[c]
		}
	}
	down.below(t, visited, rest)
	down.charge()
	return nil, down.best, down.sum, down.err
}

// descent searches all that begins with one tour.
type descent struct {
	*problem
	tell  func(steps int) error
	best  tour  // shorter than the limit at the beginning, if there is one
	limit int32 // all that is not shorter is left out
	steps int   // of which tell does not know
	sum   int
	err   error
}

// below extends t, which has visited a set of cities, in all ways. rest is the sum of
// the least ways from those not visited.
func (s *descent) below(t *tour, visited uint32, rest int32) {
	if s.steps++; s.steps == chunkSteps {
		s.charge()
	}
	if s.err != nil {
		return
	}
	last := t.last()
	if int(t.Count) == s.cities {
		if length := t.Length + s.d[last][0]; length < s.limit {
			s.best, s.limit = *t, length
			s.best.Length = length
		}
		return
	}
	for c := range uint8(s.cities) {
		if visited>>c&1 == 1 || t.Length+s.d[last][c]+rest >= s.limit {
			continue // rest has the way on from c, too
		}
		longer := t.then(c, &s.d)
		s.below(&longer, visited|1<<c, rest-s.least[c])
	}
}

// charge tells of the steps so far.
func (s *descent) charge() {
	s.err = s.tell(s.steps)
	s.sum += s.steps
	s.steps = 0
}
