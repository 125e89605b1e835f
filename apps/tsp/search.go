package tsp

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
)

// tour is a path from city 0 through some cities, each once. Length includes the return to city 0
// only if the tour has all cities.
type tour struct {
	Length int32
	Count  int32
	Cities [MaxCities]uint8
}

func (t *tour) last() uint8 { return t.Cities[t.Count-1] }

func (t *tour) then(city uint8, d *distances) tour {
	longer := *t
	longer.Length += d[t.last()][city]
	longer.Cities[t.Count] = city
	longer.Count++
	return longer
}

// visited returns the set of the tour's cities, one bit per city.
func (t *tour) visited() (set uint32) {
	for _, c := range t.Cities[:t.Count] {
		set |= 1 << c
	}
	return set
}

const (
	// stepTime is a step on the papers' machine: 40 cycles of 1053 ps (bound, comparison, call).
	stepTime = 42 * fagus.Nanosecond
	// chunkSteps is the number of steps between two checks of Node.Err.
	chunkSteps = 1 << 16
)

// problem has the cities, and the data for lower bounds of tours.
type problem struct {
	cities int
	depth  int32 // tours of at least depth cities are searched exhaustively
	d      distances
	least  [MaxCities]int32 // by city: the distance to its nearest city
}

func newProblem(cfg Config) *problem {
	p := &problem{cities: cfg.Size(), depth: 3}
	if cfg.Depth > 0 {
		p.depth = int32(cfg.Depth)
	}
	if cfg.Instance == Burma14 {
		cities := burma14()
		p.d = geographic(cities[:])
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

// bound returns a lower bound for round trips from t: each city is left for its nearest city.
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

// next returns the extensions of t by one city with a bound below best, the largest bound first.
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

// nearest returns a first guess: the round trip that always goes to the nearest city.
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

// length returns the length of t. It returns an error if t does not visit every city once.
func (p *problem) length(t *tour) (int32, error) {
	if t.Count < 1 || int(t.Count) != p.cities || t.Cities[0] != 0 || t.visited() != 1<<p.cities-1 {
		return 0, fmt.Errorf("tsp: best tour has %d cities, %v: want each of %d once, 0 first", t.Count, t.Cities, p.cities)
	}
	length := p.d[t.last()][0]
	for i := 1; i < p.cities; i++ {
		length += p.d[t.Cities[i-1]][t.Cities[i]]
	}
	return length, nil
}

// verify checks the best tour, and stores it in r together with the optimum.
func (p *problem) verify(best *tour, r *Result) error {
	length, err := p.length(best)
	if err != nil {
		return err
	}
	if length != best.Length {
		return fmt.Errorf("tsp: best tour has length %d in shared memory, but its cities give %d", best.Length, length)
	}
	for _, c := range best.Cities[:best.Count] {
		r.Tour = append(r.Tour, int(c))
	}
	r.Length, r.Optimum = int(length), int(heldKarp(&p.d, p.cities))
	return nil
}

// follow extends a short tour, and returns the results in push. From a longer tour it searches
// exhaustively for the shortest round trip that is shorter than limit; found.Count is 0 if there
// is none. It calls charge with the number of steps every chunkSteps steps; an error from charge
// ends the search.
func (p *problem) follow(t *tour, limit int32, charge func(steps int) error) (push []tour, found tour, steps int, err error) {
	if p.bound(t) >= limit {
		return nil, tour{}, 0, nil
	}
	if t.Count < p.depth && int(t.Count) < p.cities {
		return p.next(t, limit), tour{}, 0, charge(p.cities)
	}
	down := descent{problem: p, report: charge, limit: limit}
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

// descent is an exhaustive search from one tour.
type descent struct {
	*problem
	report func(steps int) error
	best   tour  // the shortest round trip found, if it is shorter than the initial limit
	limit  int32 // longer or equal round trips are skipped
	steps  int   // examined tours that are not yet reported
	sum    int
	err    error
}

// below tries all continuations of t, whose cities are visited. rest is the sum of the distances
// from all other cities to their nearest.
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
			continue // rest includes the distance from c
		}
		longer := t.then(c, &s.d)
		s.below(&longer, visited|1<<c, rest-s.least[c])
	}
}

// charge reports the steps since the last report.
func (s *descent) charge() {
	s.err = s.report(s.steps)
	s.sum += s.steps
	s.steps = 0
}
