package region

import (
	"cmp"
	"fmt"
	"slices"
)

// Interval are the elements Lo up to but not including Hi.
type Interval struct{ Lo, Hi int }

// Region is a set of elements. Intervals are in order and apart from each other, but for what Add has not put in order yet.
type Region struct {
	intervals []Interval
	unsorted  bool
}

// Add adds the elements lo up to but not including hi; none if there are none.
func (r *Region) Add(lo, hi int) {
	if lo >= hi {
		return
	}
	if n := len(r.intervals); n > 0 && !r.unsorted {
		switch last := &r.intervals[n-1]; {
		case lo >= last.Lo && lo <= last.Hi: // the most frequent case: it goes on
			last.Hi = max(last.Hi, hi)
			return
		case lo < last.Lo:
			r.unsorted = true
		}
	}
	r.intervals = append(r.intervals, Interval{lo, hi})
}

// Strided adds count runs of run elements, the first at lo, which are stride apart.
func (r *Region) Strided(lo, run, count, stride int) {
	for ; count > 0; count-- {
		r.Add(lo, lo+run)
		lo += stride
	}
}

// Intervals are the region's, in order and apart. They are its own.
func (r *Region) Intervals() []Interval {
	if r.unsorted {
		slices.SortFunc(r.intervals, func(a, b Interval) int { return cmp.Compare(a.Lo, b.Lo) })
		all := r.intervals
		r.intervals, r.unsorted = r.intervals[:0], false
		for _, i := range all {
			r.Add(i.Lo, i.Hi)
		}
	}
	return r.intervals
}

// Empty says whether it has no elements.
func (r *Region) Empty() bool { return len(r.intervals) == 0 }

// Meets says whether both have an element.
func (r *Region) Meets(o *Region) bool {
	a, b := r.Intervals(), o.Intervals()
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].Hi <= b[0].Lo:
			a = a[1:]
		case b[0].Hi <= a[0].Lo:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}

// Within says whether all elements are among the first n.
func (r *Region) Within(n int) bool {
	all := r.Intervals()
	return len(all) == 0 || all[0].Lo >= 0 && all[len(all)-1].Hi <= n
}

// String lists the intervals.
func (r *Region) String() string { return fmt.Sprint(r.Intervals()) }
