package travel

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"github.com/fagus-dsm/fagus/fagus/recording"
)

// point is a point of a run: the tenures that ended with at most so many steps of their ranks, and
// until a time.
type point struct {
	step uint64
	time dimmnet.Time
	text string // as the user named it
}

// parsePoint reads phase:120, time:1.5ms or end.
func parsePoint(text string) (point, error) {
	p := point{math.MaxUint64, math.MaxInt64, text}
	kind, value, _ := strings.Cut(text, ":")
	switch kind {
	case "end":
		if text == kind {
			return p, nil
		}
	case "phase":
		step, err := strconv.ParseUint(value, 10, 62)
		if p.step = step; err == nil {
			return p, nil
		}
	case "time":
		d, err := time.ParseDuration(value)
		if p.time = dimmnet.Time(d.Nanoseconds()) * dimmnet.Nanosecond; err == nil && d >= 0 && d < 2000*time.Hour {
			return p, nil
		}
	}
	return p, usage.Errorf("--at %s: want phase:120, time:1.5ms or end", text)
}

// has reports whether a tenure has ended by then. shift is that of its rank.
func (p point) has(t *recording.Tenure, shift dimmnet.Time) bool {
	return t.Step <= p.step && t.To+shift <= p.time
}

// reaches reports whether a meeting has begun by then. No tenure after another one has ended.
func (p point) reaches(m *recording.Meeting, shift dimmnet.Time) bool {
	return m.Before <= p.step && m.From+shift <= p.time
}

// place is an element of an array.
type place struct {
	*array
	element int
}

var (
	elementText = regexp.MustCompile(`^(.+)\[([0-9]+)\]$`)
	matrixText  = regexp.MustCompile(`^(.+)\[([0-9]+), *([0-9]+)\]$`)
)

// place reads A[17], or A[2,1] of an array whose rows have some columns.
func (r *run) place(text string, columns int) (p place, err error) {
	name, column := "", 0
	if m := elementText.FindStringSubmatch(text); m != nil {
		name, p.element, err = m[1], atoi(m[2]), nil
		columns = 1
	} else if m := matrixText.FindStringSubmatch(text); m != nil {
		name, p.element, column = m[1], atoi(m[2]), atoi(m[3])
		if columns == 0 {
			return p, usage.Errorf("%s: arrays of Fagus have one dimension: give the length of a row, such as --columns 64, or one index", text)
		}
		if column >= columns {
			return p, usage.Errorf("%s: rows have the columns 0 to %d, by --columns", text, columns-1)
		}
	} else {
		return p, usage.Errorf("%q: want an element, such as 'A[17]', or with --columns 'A[2,1]'", text)
	}
	if p.array, err = r.array(name); err != nil {
		return p, err
	}
	if p.element > (p.length()-1-column)/columns {
		return p, usage.Errorf("%s: the array has %d elements", text, p.length())
	}
	p.element = p.element*columns + column
	return p, nil
}

// atoi returns a number of digits, which is at most the largest int.
func atoi(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return math.MaxInt
	}
	return n
}
