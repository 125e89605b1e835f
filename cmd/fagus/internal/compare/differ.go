package compare

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
)

// differences returns warnings about what a program of one's own has printed: another result in
// another version, or in another run of the same version. Without a warning all runs of a size have
// printed the same lines. Their order does not count, because ranks may print in any order.
func (c *comparison) differences() (warnings []string) {
	if c.Command == nil {
		return nil
	}
	for _, n := range c.Sizes {
		results := c.OfSize(n)
		first := results[0]
		if text := first.unsteady(); text != "" && c.Seed == 0 {
			warnings = append(warnings, with(c.Size(n))+"the program does not print the same in every run, so whether its versions agree is unknown: "+text)
			continue
		}
		for _, r := range results[1:] {
			for i := range r.Runs {
				if text := unlike(r.Version, first.Version, r.Runs[i], first.Runs[i]); text != "" {
					warnings = append(warnings, fmt.Sprintf("%s%s and %s print different lines: %s", with(c.Size(n)), r.Version, first.Version, text))
					break
				}
			}
		}
	}
	return warnings
}

// unsteady returns text: how two runs of the version differ, or "".
func (c *compared) unsteady() string {
	for i, r := range c.Runs {
		if text := unlike(fmt.Sprintf("run %d of %s", i+1, c.Version), "run 1", r, c.Runs[0]); text != "" {
			return text
		}
	}
	return ""
}

// unlike returns text: the first lines that one run has printed and another has not, or "".
func unlike(name, otherName string, one, other *experiment.Run) string {
	if one.Cut || other.Cut {
		return ""
	}
	line, alone := firstAlone(one.Lines, other.Lines)
	otherLine, otherAlone := firstAlone(other.Lines, one.Lines)
	switch {
	case alone && otherAlone:
		return fmt.Sprintf("%s prints %s, and %s %s", name, experiment.Quoted(line), otherName, experiment.Quoted(otherLine))
	case alone:
		return fmt.Sprintf("%s prints %s, and %s does not", name, experiment.Quoted(line), otherName)
	case otherAlone:
		return fmt.Sprintf("%s prints %s, and %s does not", otherName, experiment.Quoted(otherLine), name)
	}
	return ""
}

// firstAlone returns the first line that occurs more often in lines than in others.
func firstAlone(lines, others []string) (line string, found bool) {
	if slices.Equal(lines, others) {
		return "", false
	}
	left := make(map[string]int)
	for _, line := range others {
		left[line]++
	}
	for _, line := range lines {
		if left[line]--; left[line] < 0 {
			return line, true
		}
	}
	return "", false
}
