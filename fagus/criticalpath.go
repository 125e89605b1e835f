package fagus

import "slices"

// criticalPath returns the time of each part along the critical path of a run: the chain of
// computing and calls that has led to its end. It follows the chain backwards, from the end of the
// slowest rank. Where that rank waited for another one, the chain goes on with the other one, from
// the moment when that one made its call or, for a variable that it held in Threaded mode, released
// the variable. So waiting is nowhere in it, and the parts add up to the time of the run.
//
// It is about the measured section, if there is one, or else about the run. The result is nil if
// spans are missing, or if there are several sections. If ranks are processes of their own (apart),
// each has its own clock; all of them end at the same moment.
func criticalPath(ranks []Stats, mode Mode, apart bool) *[Parts]Time {
	var parts [Parts]Time
	lines := make([]pathLine, len(ranks))
	last, at, steps := -1, Time(0), 0
	for r := range ranks {
		s := &ranks[r]
		l := &lines[r]
		if l.spans = s.Spans; len(l.spans) == 0 || len(l.spans) == MaxSpans || s.Sections > 1 {
			return nil
		}
		end := l.spans[len(l.spans)-1].To
		to := end
		l.from = l.spans[0].From + s.Before
		if measured := s.MeasuredTotal(); measured > 0 {
			to = l.from + measured
		}
		if apart {
			l.shift = -end
		}
		if last < 0 || to+l.shift > at {
			last, at = r, to+l.shift
		}
		steps += 2 * len(l.spans)
	}
	for ; steps > 0; steps-- {
		l := &lines[last]
		span, found := l.before(at - l.shift)
		if !found {
			return &parts
		}
		begin := max(span.From, l.from) + l.shift
		if other, since, waited := l.cause(lines, span, mode); waited && since > begin && since <= at {
			parts[span.Part] += at - since
			last, at = other, since
			continue
		}
		parts[span.Part] += at - begin
		at = begin
	}
	return nil
}

// pathLine is what one rank did. Times of its clock plus shift are times of the run.
type pathLine struct {
	spans []Span
	from  Time // the begin of the section
	shift Time
}

// before returns the span that the rank was in immediately before t.
func (l *pathLine) before(t Time) (s Span, found bool) {
	i, _ := slices.BinarySearchFunc(l.spans, t, func(s Span, t Time) int {
		if s.To < t {
			return -1
		}
		return 1
	})
	if t <= l.from || i == len(l.spans) {
		return Span{}, false
	}
	return l.spans[i], true
}

// cause returns the rank for which the rank of l waited in a span, and when that rank had done what
// the other waited for.
func (l *pathLine) cause(lines []pathLine, s Span, mode Mode) (rank int, since Time, waited bool) {
	if s.Until == 0 || s.For >= len(lines) {
		return 0, 0, false
	}
	other, until := &lines[s.For], s.Until+l.shift
	next, _ := slices.BinarySearchFunc(other.spans, until-other.shift, func(s Span, t Time) int {
		if s.From <= t {
			return -1
		}
		return 1
	})
	for i := next - 1; i >= 0; i-- {
		o := &other.spans[i]
		switch {
		case mode == Threaded && s.Part == PartAcquire:
			if t := o.To + other.shift; o.Part == PartRelease && t <= until {
				return s.For, t, true
			}
		case o.Part != PartCompute && o.Part != PartRelease:
			return s.For, o.From + other.shift, true
		}
	}
	return 0, 0, false
}
