package depend

import "fmt"

// most is how many inequalities there may be before it is given up.
const most = 2000

// eliminate says whether the inequalities may have a solution: it takes one variable after another out of them, the one
// first that leaves the fewest.
func (s *System) eliminate() bool {
	for {
		if !s.tidy() {
			return false
		}
		if s.overflown || len(s.atZero) > most {
			return true
		}
		k := s.cheapest()
		if k < 0 {
			return true
		}
		s.without(k)
	}
}

// tidy tightens inequalities to whole numbers and drops those that others imply; false: one cannot be.
func (s *System) tidy() bool {
	least := make(map[string]int)
	kept := s.atZero[:0]
	for _, r := range s.atZero {
		g := int64(0)
		for _, c := range r.of {
			g = gcd(g, c)
		}
		if g == 0 {
			if r.constant < 0 {
				return false
			}
			continue
		}
		if g > 1 {
			for j := range r.of {
				r.of[j] /= g
			}
			r.constant = floor(r.constant, g)
		}
		key := fmt.Sprint(r.of)
		if i, ok := least[key]; ok {
			kept[i].constant = min(kept[i].constant, r.constant)
			continue
		}
		least[key] = len(kept)
		kept = append(kept, r)
	}
	s.atZero = kept
	return true
}

func gcd(a, b int64) int64 {
	if a < 0 {
		a = -a
	}
	if b < 0 {
		b = -b
	}
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// floor is a / g, rounded down; g is positive.
func floor(a, g int64) int64 {
	q := a / g
	if a%g < 0 {
		q--
	}
	return q
}

// cheapest is the variable whose elimination leaves the fewest inequalities; -1: there is none left.
func (s *System) cheapest() int {
	best, cost := -1, 0
	for k := range s.vars {
		lower, upper := 0, 0
		for _, r := range s.atZero {
			switch {
			case r.of[k] > 0:
				lower++
			case r.of[k] < 0:
				upper++
			}
		}
		if c := lower*upper - lower - upper; lower+upper > 0 && (best < 0 || c < cost) {
			best, cost = k, c
		}
	}
	return best
}

// without combines every lower bound of a variable with every upper one.
func (s *System) without(k int) {
	var rest, lower, upper []row
	for _, r := range s.atZero {
		switch {
		case r.of[k] > 0:
			lower = append(lower, r)
		case r.of[k] < 0:
			upper = append(upper, r)
		default:
			rest = append(rest, r)
		}
	}
	for _, l := range lower {
		for _, u := range upper {
			if len(rest) > most || s.overflown {
				s.atZero = rest
				return
			}
			a, b := -u.of[k], l.of[k]
			both := row{make([]int64, s.vars), s.plus(s.times(a, l.constant), s.times(b, u.constant))}
			for j := range both.of {
				both.of[j] = s.plus(s.times(a, l.of[j]), s.times(b, u.of[j]))
			}
			rest = append(rest, both)
		}
	}
	s.atZero = rest
}
