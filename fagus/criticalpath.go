package fagus

import "slices"

// criticalPath returns the time of each part along the critical path of a run: the chain of
// computing and calls that has led to its end. It follows the chain backwards, from the end of the
// rank that took longest to that rank's begin. Where a rank waited for another one, the chain goes
// on with the other one, from the moment when that one made its call or, for a variable that it
// held in Threaded mode, released the variable. So waiting is nowhere in it, and the parts add up
// to the time of the rank that took longest.
//
// It is about the measured section, if all ranks have one, or else about the run. The result is nil
// if spans are missing, or if some ranks have measured sections, and others none or several. If
// ranks are processes of their own (apart), each has its own clock; all of them end at the same
// moment.
func criticalPath(ranks []Stats, mode Mode, apart bool) *[Parts]Time {
	var parts [Parts]Time
	lines := make([]pathLine, len(ranks))
	var rank int
	var begin, at Time // of the path; times of the run
	steps := 0
	for r := range ranks {
		s, l := &ranks[r], &lines[r]
		if l.spans = s.Spans; len(l.spans) == 0 || len(l.spans) == MaxSpans || s.Sections > 1 || s.Sections != ranks[0].Sections {
			return nil
		}
		first, last := l.spans[0].From, l.spans[len(l.spans)-1].To
		if apart {
			l.shift = -last
		}
		from, to := first, last
		if s.Sections > 0 {
			from = first + s.Before
			to = from + s.MeasuredTotal()
		}
		if r == 0 || to-from > at-begin {
			rank, begin, at = r, from+l.shift, to+l.shift
		}
		steps += 2 * len(l.spans)
	}
	for ; at > begin && steps > 0; steps-- {
		l := &lines[rank]
		span, found := l.before(at - l.shift)
		if !found { // the rank's process was starting
			span = Span{Part: PartCompute, From: begin - l.shift}
		}
		from := max(span.From+l.shift, begin)
		if other, since, waited := l.cause(lines, span, mode); waited && since > from && since < at {
			parts[span.Part] += at - since
			rank, at = other, since
			continue
		}
		parts[span.Part] += at - from
		at = from
	}
	if at > begin {
		return nil
	}
	return &parts
}

// pathLine is what one rank did. Times of its clock plus shift are times of the run.
type pathLine struct {
	spans []Span
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
	if i == len(l.spans) || t <= l.spans[i].From {
		return Span{}, false
	}
	return l.spans[i], true
}

// cause returns the rank for which the rank of l waited in a span, and when that rank had done what
// the other waited for.
func (l *pathLine) cause(lines []pathLine, s Span, mode Mode) (rank int, since Time, waited bool) {
	if s.Until == 0 {
		return 0, 0, false
	}
	other, until := &lines[s.For], s.Until+l.shift
	next, _ := slices.BinarySearchFunc(other.spans, until-other.shift, func(s Span, t Time) int {
		if s.From < t {
			return -1
		}
		return 1
	})
	const most = 256 // spans to look back for a Release, which has none if it takes no time
	for i := next - 1; i >= max(0, next-most); i-- {
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

// waiting returns how long the rank has waited for others, as far as its spans tell: in its only
// measured section or, without one, in the run.
func (s *Stats) waiting() (sum Time) {
	if len(s.Spans) == 0 {
		return 0
	}
	from, to := s.Spans[0].From, s.Spans[len(s.Spans)-1].To
	if s.Sections == 1 {
		from += s.Before
		to = from + s.MeasuredTotal()
	}
	for _, span := range s.Spans {
		sum += max(0, min(span.Until, to)-max(span.From, from))
	}
	return sum
}
