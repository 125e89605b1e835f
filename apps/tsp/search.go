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
	d      distances
	least  [MaxCities]int32 // the way from each city to its nearest
}

func newProblem(cfg Config) *problem {
	p := &problem{cities: cfg.Size()}
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

// descent searches all that begins with one tour.
type descent struct {
	*problem
	node  *fagus.Node
	best  tour  // shorter than the limit at the beginning, if there is one
	limit int32 // all that is not shorter is left out
	steps int   // whose time has not been charged
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

// charge lets the steps so far take their time.
func (s *descent) charge() {
	s.node.Spend(fagus.Time(s.steps) * stepTime)
	s.sum += s.steps
	s.steps = 0
	s.err = s.node.Err()
}
