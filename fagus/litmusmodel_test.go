package fagus_test

import (
	"fmt"
	"slices"
	"strings"
)

// axioms enumerates the outcomes that entry consistency allows (docs/lab/papers.md, Entry
// consistency). Tenures are executed one at a time in every order that the programs permit,
// which is equivalent to axioms A1, A2 and A3. A read outside tenures returns any version
// from the version of the rank's copy to the newest (A4).
type axioms struct {
	*litmus
	found map[string]bool
}

// allowed returns the set of allowed outcomes.
func (l *litmus) allowed() map[string]bool {
	a := axioms{l, make(map[string]bool)}
	first := moment{at: make([]int, len(l.ranks)), saw: make([][]string, len(l.ranks)), values: make(map[byte][]int)}
	for range l.ranks {
		first.copies = append(first.copies, make(map[byte]int))
	}
	for _, item := range []byte(litmusItems) {
		first.values[item] = []int{0}
	}
	a.explore(first)
	return a.found
}

// moment is a state between two operations.
type moment struct {
	at     []int          // index of the next line, by rank
	saw    [][]string     // values read so far, by rank
	values map[byte][]int // all versions of each item, the newest last
	copies []map[byte]int // by rank: versions of the items that the rank has acquired
}

func (m moment) clone() moment {
	c := moment{at: slices.Clone(m.at), saw: slices.Clone(m.saw), values: make(map[byte][]int)}
	for r := range c.saw {
		c.saw[r] = slices.Clone(c.saw[r])
	}
	for item, v := range m.values {
		c.values[item] = slices.Clone(v)
	}
	for _, own := range m.copies {
		copied := make(map[byte]int)
		for item, v := range own {
			copied[item] = v
		}
		c.copies = append(c.copies, copied)
	}
	return c
}

// explore adds the outcomes that can be reached from m to a.found.
func (a axioms) explore(m moment) {
	over, updates, fences := true, 0, 0
	for r, lines := range a.ranks {
		if m.at[r] == len(lines) {
			continue
		}
		over = false
		line := strings.Fields(lines[m.at[r]])
		switch line[0] {
		case "update":
			updates++
		case "fence":
			fences++
		case "look":
			item := line[1][0]
			for v := m.copies[r][item]; v < len(m.values[item]); v++ {
				next := m.clone()
				next.at[r]++
				next.saw[r] = append(next.saw[r], fmt.Sprint(m.values[item][v]))
				next.copies[r][item] = v
				a.explore(next)
			}
		default:
			next := m.clone()
			next.at[r]++
			if a.tenure(&next, r, line) {
				a.explore(next)
			}
		}
	}
	if updates == len(a.ranks) { // all ranks have reached the collective Update
		next := m.clone()
		for r := range next.at {
			next.at[r]++
			for item := range next.copies[r] {
				next.copies[r][item] = len(next.values[item]) - 1
			}
		}
		a.explore(next)
	}
	if fences == len(a.ranks) { // as an Update, but it brings nothing
		next := m.clone()
		for r := range next.at {
			next.at[r]++
		}
		a.explore(next)
	}
	if over {
		a.found[strings.Join(slices.Concat(m.saw...), " ")] = true
	}
}

// tenure executes a line of rank r that is a tenure. It returns false if the line waits for a
// change.
func (a axioms) tenure(m *moment, r int, line []string) bool {
	now := make(map[byte]int)
	for _, item := range []byte(a.bound[line[0][1:]]) {
		now[item] = m.values[item][len(m.values[item])-1]
	}
	for _, access := range line[1:] {
		item := access[0]
		if access[1:] == "?" {
			if now[item] == 0 {
				return false
			}
			continue
		}
		if value, writes := strings.CutPrefix(access[1:], "="); writes {
			now[item] = int(value[0] - '0')
			continue
		}
		m.saw[r] = append(m.saw[r], fmt.Sprint(now[item]))
		if strings.HasSuffix(access, "++") {
			now[item]++
		}
	}
	for item, v := range now {
		m.values[item] = append(m.values[item], v)
		m.copies[r][item] = len(m.values[item]) - 1
	}
	return true
}
