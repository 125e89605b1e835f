package region

import "slices"

// byRank returns the entries of each rank, with the input and the output, in order.
func (p *Plan) byRank(entries []entry) (lists [][]*entry) {
	lists = make([][]*entry, p.nodes)
	for i := range entries {
		e := &entries[i]
		if !p.steps[e.step].home {
			lists[e.rank] = append(lists[e.rank], e)
			continue
		}
		for rank := range lists {
			lists[rank] = append(lists[rank], e)
		}
	}
	return lists
}

// eachStep calls f with the entries of each step and rank.
func eachStep(entries []*entry, f func([]*entry)) {
	for len(entries) > 0 {
		n := 1
		for n < len(entries) && entries[n].before(entries[0]) == 0 {
			n++
		}
		f(entries[:n])
		entries = entries[n:]
	}
}

// fresh divides own, the elements that only one rank uses. The input of the fresh elements does not
// matter, because the rank overwrites them before any other use; rest holds the others.
func (p *Plan) fresh(entries []*entry, own []Interval) (fresh, rest []Interval) {
	if !slices.ContainsFunc(entries, func(e *entry) bool { return e.does == overwrites && !p.steps[e.step].home }) {
		return nil, own
	}
	m := &marks{all: own, marks: make([]mark, len(own)), left: size(own)}
	eachStep(entries, func(step []*entry) {
		if p.steps[step[0].step].home || m.left == 0 {
			return
		}
		for _, e := range step {
			if e.does != overwrites {
				m.add(e.hull(), isRest)
			}
		}
		m.split(isRest)
		exact := countable(step)
		if exact {
			for _, e := range step {
				if e.does == overwrites {
					m.add(e.piece, isFresh)
				}
			}
			m.split(isFresh)
		}
		for _, e := range step {
			if e.does == overwrites && (e.count > 1 || !exact) {
				m.add(e.hull(), isRest)
			}
		}
		m.split(isRest)
	})
	for k, i := range m.all {
		if m.marks[k] == isFresh {
			fresh = appended(fresh, i)
		} else {
			rest = appended(rest, i)
		}
	}
	return fresh, rest
}

type mark byte

const (
	unused mark = iota
	isFresh
	isRest
)

// marks gives each element of a set the first mark that is added to it.
type marks struct {
	all   []Interval
	marks []mark // by index of all
	left  int    // number of unused elements
	parts []Interval
}

// add marks the unused elements of p. For parts of intervals, split must be called.
func (m *marks) add(p piece, with mark) {
	p.each(m.all, func(i Interval, at int) bool {
		switch {
		case m.marks[at] != unused:
		case i == m.all[at]:
			m.marks[at] = with
			m.left -= i.Hi - i.Lo
		default:
			m.parts = append(m.parts, i)
		}
		return m.left > 0
	})
}

// split marks the parts of intervals for which add was called.
func (m *marks) split(with mark) {
	if len(m.parts) == 0 {
		return
	}
	parts := merged(m.parts)
	old, oldMarks := m.all, m.marks
	m.all, m.marks = make([]Interval, 0, len(old)+2*len(parts)), make([]mark, 0, len(old)+2*len(parts))
	put := func(i Interval, with mark) {
		if n := len(m.all); n > 0 && with != unused && m.marks[n-1] == with && m.all[n-1].Hi == i.Lo {
			m.all[n-1].Hi = i.Hi
		} else if i.Lo < i.Hi {
			m.all, m.marks = append(m.all, i), append(m.marks, with)
		}
	}
	for k, i := range old {
		for ; len(parts) > 0 && parts[0].Lo < i.Hi; parts = parts[1:] {
			if oldMarks[k] != unused {
				if parts[0].Hi > i.Hi {
					break
				}
				continue
			}
			cut := Interval{max(i.Lo, parts[0].Lo), min(i.Hi, parts[0].Hi)}
			put(Interval{i.Lo, cut.Lo}, unused)
			put(cut, with)
			m.left -= cut.Hi - cut.Lo
			i.Lo = cut.Hi
			if parts[0].Hi > i.Hi {
				break
			}
		}
		put(i, oldMarks[k])
	}
	m.parts = m.parts[:0]
}

// countable reports whether those entries that overwrite have few enough runs to examine each.
func countable(entries []*entry) bool {
	const most = 1 << 16
	runs, strided := 0, false
	for _, e := range entries {
		if e.does&overwrites != 0 {
			runs += e.rows * e.count
			strided = strided || e.count > 1
		}
	}
	return !strided || runs <= most
}

// privateUses returns the uses of a class of elements that only one rank uses, apart from the
// input and the output.
func (p *Plan) privateUses(entries []*entry, own []Interval) (all uses) {
	elements := size(own)
	eachStep(entries, func(step []*entry) {
		var does touch
		written := 0 // elements that are overwritten, or more
		for _, e := range step {
			if e.does&overwrites != 0 {
				written += e.rows * e.count * e.run
			}
			if does&e.does != e.does && !e.each(own, func(Interval, int) bool { return false }) {
				does |= e.does
			}
		}
		if does&overwrites != 0 && (written < elements || !countable(step) || !covers(step, own, elements)) {
			does = does&^overwrites | writes
		}
		if does != 0 {
			all.add(int(step[0].step), int(step[0].rank), does, p)
		}
	})
	return all
}

// covers reports whether the elements that entries overwrite include all of own.
func covers(entries []*entry, own []Interval, elements int) bool {
	covered := make([]bool, len(own))
	var parts []Interval
	for _, e := range entries {
		if e.does&overwrites == 0 {
			continue
		}
		e.each(own, func(i Interval, at int) bool {
			switch {
			case covered[at]:
			case i == own[at]:
				covered[at] = true
				elements -= i.Hi - i.Lo
			default:
				parts = append(parts, i)
			}
			return true
		})
	}
	for _, i := range merged(parts) { // what several runs cover together
		if !covered[behind(own, i.Lo)] {
			elements -= i.Hi - i.Lo
		}
	}
	return elements == 0
}
