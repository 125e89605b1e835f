package depend

import "fmt"

// most is the largest number of inequalities; a larger system counts as solvable.
const most = 2000

// eliminate reports whether the inequalities may have a solution. It eliminates the variables one
// by one, cheapest first.
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

// tidy tightens inequalities to integers and drops implied ones; false if no integers solve them.
func (s *System) tidy() bool {
	least := make(map[string]int)
	kept := s.atZero[:0]
	for _, r := range s.atZero {
		g := int64(0)
		for _, c := range r.of {
			g = GCD(g, c)
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

// GCD returns the greatest common divisor of two integers, not negative.
func GCD(a, b int64) int64 {
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

// floor returns a / g rounded down, for positive g.
func floor(a, g int64) int64 {
	q := a / g
	if a%g < 0 {
		q--
	}
	return q
}

// cheapest returns the variable whose elimination leaves the fewest inequalities, or -1 if no
// variable is left.
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

// without eliminates variable k: it combines each of its lower bounds with each upper bound.
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
