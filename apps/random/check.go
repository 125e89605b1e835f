package random

import (
	"cmp"
	"fmt"
	"slices"
)

// held is the time for which a rank holds a variable, with what the rank sees.
type held struct {
	rank      int
	place     place
	exclusive bool
	from, to  int64
	saw, left uint64 // the sums at both ends
}

// model replays the writes of all ranks, and compares the result with what the ranks saw.
type model struct {
	plan    *plan
	logs    [][]entry
	checked int
	wrong   []string
}

// check compares the logs of all ranks with the model. It returns the number of compared contents,
// and a line for each contradiction.
func check(p *plan, logs [][]entry) (checked int, wrong []string) {
	m := &model{plan: p, logs: logs}
	for v := range p.variables {
		all := m.tenures(v)
		m.exclusion(v, all)
		m.updates(v, m.replay(v, all))
	}
	for rank := range logs {
		m.copies(rank)
	}
	return m.checked, m.wrong
}

func (m *model) fail(format string, args ...any) {
	m.wrong = append(m.wrong, fmt.Sprintf(format, args...))
}

// compare compares the sum that a rank saw with the model.
func (m *model) compare(rank, v int, o op, at place, saw, want uint64) {
	if m.checked++; saw != want {
		m.fail("rank %d, round %d, tenure %d: v%d, %v, has content %#x, want %#x", rank, at.round, at.tenure, v, o, saw, want)
	}
}

// tenures returns the tenures of a variable in the order of time.
func (m *model) tenures(v int) (all []held) {
	for rank, l := range m.logs {
		var open *held
		for _, e := range l {
			switch {
			case e.variable != v:
			case e.op == beganShared || e.op == beganExclusive:
				all = append(all, held{rank: rank, place: e.place, exclusive: e.op == beganExclusive, from: e.at, saw: e.sum})
				open = &all[len(all)-1]
			case e.op == endedShared || e.op == endedExclusive:
				if open == nil || open.place != e.place {
					m.fail("rank %d, round %d, tenure %d: v%d ends, but has not begun: the log is damaged", rank, e.place.round, e.place.tenure, v)
					continue
				}
				open.to, open.left, open = e.at, e.sum, nil
			}
		}
	}
	slices.SortFunc(all, func(a, b held) int { return cmp.Compare(a.from, b.from) })
	return all
}

// exclusion checks that no exclusive tenure overlaps another tenure.
func (m *model) exclusion(v int, all []held) {
	var last, lastExclusive *held // the tenures so far that end last
	for i := range all {
		t := &all[i]
		before := lastExclusive
		if t.exclusive {
			before = last
		}
		if m.checked++; before != nil && before.to > t.from {
			m.fail("v%d: rank %d holds it from round %d, tenure %d, %d ns before rank %d releases it in round %d, tenure %d",
				v, t.rank, t.place.round, t.place.tenure, before.to-t.from, before.rank, before.place.round, before.place.tenure)
		}
		if last == nil || t.to > last.to {
			last = t
		}
		if t.exclusive && (lastExclusive == nil || t.to > lastExclusive.to) {
			lastExclusive = t
		}
	}
}

// version is a content of a variable, left by a tenure in a round.
type version struct {
	round int
	sum   uint64
}

// replay performs the writes of all tenures and compares what each saw. It returns the contents
// one after the other.
func (m *model) replay(v int, all []held) []version {
	content := make([]byte, m.plan.variables[v].size)
	versions := []version{{-1, sum(content)}}
	for i := range all {
		t := &all[i]
		began, ended := ends(t.exclusive)
		m.compare(t.rank, v, began, t.place, t.saw, versions[len(versions)-1].sum)
		if t.exclusive {
			for _, w := range m.writes(t, v) {
				w.into(content)
			}
			versions = append(versions, version{t.place.round, sum(content)})
		}
		m.compare(t.rank, v, ended, t.place, t.left, versions[len(versions)-1].sum)
	}
	return versions
}

// writes returns the writes of a tenure to a variable, from the plan.
func (m *model) writes(t *held, v int) []write {
	planned := m.plan.tenures(t.rank, t.place.round)
	if t.place.tenure < len(planned) {
		for _, w := range planned[t.place.tenure].wants {
			if w.variable == v && w.exclusive {
				return w.writes
			}
		}
	}
	m.fail("rank %d, round %d, tenure %d: it holds v%d, which is not in the plan: the log is damaged", t.rank, t.place.round, t.place.tenure, v)
	return nil
}

// updates checks that an Update brings all writes of tenures in its round and in earlier rounds.
func (m *model) updates(v int, versions []version) {
	for rank, l := range m.logs {
		for _, e := range l {
			if e.op != updated || e.variable != v {
				continue
			}
			i := len(versions) - 1
			for versions[i].round > e.place.round {
				i--
			}
			m.compare(rank, v, updated, e.place, e.sum, versions[i].sum)
		}
	}
}

// copies checks that the content of a variable that a rank does not hold stays as the rank last
// saw it.
func (m *model) copies(rank int) {
	last := make(map[int]uint64)
	for v := range m.plan.variables {
		last[v] = sum(make([]byte, m.plan.variables[v].size))
	}
	for _, e := range m.logs[rank] {
		if e.op == looked {
			m.compare(rank, e.variable, looked, e.place, e.sum, last[e.variable])
		}
		last[e.variable] = e.sum
	}
}
