package fagus

import (
	"cmp"
	"runtime"
	"slices"

	"github.com/fagus-dsm/fagus/fagus/internal/source"
)

// stretches records for how long a rank computes between two calls. It reads no clock, and finds
// out where a call is made only of the first calls of a rank, and of those after a long stretch of
// computing: so a short call later costs a comparison.
type stretches struct {
	computed Time   // the rank's time of PartCompute up to its last call
	calls    uint64 // the calls of the program that may wait for others
	sites    map[uint64]*site
	times    map[between]*stretch
	last     *site // of the last call; nil if unknown, or if there is none
}

// between is where a stretch of computing is. after is nil for the begin, and where it is unknown.
type between struct{ after, until *site }

// stretch is how long a rank has computed between two calls.
type stretch struct {
	time  Time
	times uint64 // of longStretch or more
	first bool   // up to the rank's first call
}

const (
	// longStretch is computing after which the place of a call is found out. That takes less than
	// 100 ns.
	longStretch = 10 * Microsecond
	// sampledCalls is the number of first calls whose places are found out.
	sampledCalls = 1024
	mostSites    = 64
	sitePCs      = 32 // frames of the stack of a call
	mostStretch  = 16 // stretches of a rank in a report
)

// site is a place at which the rank makes calls.
type site struct {
	pcs   [sitePCs]uintptr // zero: the end of the program
	calls uint64           // of those that were sampled
	after *site            // of the call before one of these; nil if unknown
}

// reached records a call, of which the clock has been told.
func (s *stretches) reached(w *stopwatch, off bool) {
	computed := w.parts[PartCompute].Time - s.computed
	s.computed += computed
	if off {
		return
	}
	if w.part != PartEnd {
		s.calls++
	}
	if computed < longStretch && s.calls > sampledCalls {
		s.last = nil
		return
	}
	s.charge(w.part, computed)
}

// charge charges computing to the calls before and after it.
func (s *stretches) charge(part Part, computed Time) {
	before := s.last
	s.last = s.site(part)
	if s.last == nil {
		return
	}
	first := s.calls == 1 && part != PartEnd
	s.last.calls++
	switch {
	case before != nil:
		s.last.after = before
	case !first:
		before = s.last.after
	}
	of := s.times[between{before, s.last}]
	if of == nil {
		if len(s.times) == mostSites {
			return
		}
		if s.times == nil {
			s.times = make(map[between]*stretch)
		}
		of = &stretch{first: first}
		s.times[between{before, s.last}] = of
	}
	if of.time += computed; computed >= longStretch {
		of.times++
	}
}

// site returns the place of the call that runs; nil if there are too many.
func (s *stretches) site(part Part) *site {
	key := uint64(0)
	if part != PartEnd {
		key = source.Key()
	}
	at := s.sites[key]
	if at != nil || len(s.sites) == mostSites {
		return at
	}
	if s.sites == nil {
		s.sites = make(map[uint64]*site)
	}
	at = &site{}
	if part != PartEnd {
		runtime.Callers(4, at.pcs[:])
	}
	s.sites[key] = at
	return at
}

// skip leaves out what the rank has computed since its last call: a measured section begins.
func (s *stretches) skip(w *stopwatch) {
	s.computed, s.last = w.parts[PartCompute].Time, nil
}

// rankStretch is computing of one rank between two calls, in the form in which ranks exchange it.
type rankStretch struct {
	After, Until string // lines of the calls; "" if unknown, and if there is none
	First        bool   // Until is the rank's first call
	End          bool   // there is no call until the end of the program
	Part         string // the type of package parts that makes the calls; "" if the program does
	Time         Time
	Times        uint64 // long stretches
	Calls        uint64 // at Until, of those that were sampled
}

// sameAs reports whether both are between the same calls, as far as that is known.
func (r *rankStretch) sameAs(of *rankStretch) bool {
	unknown := of.After == "" && !of.First
	return r.Until == of.Until && r.End == of.End && (unknown || r.First == of.First && r.After == of.After)
}

// result returns the longest stretches. Those between the same lines are one.
func (s *stretches) result() (all []rankStretch) {
	places := make(map[*site]*rankStretch) // the end of a stretch at each site
	for key, at := range s.sites {
		of := &rankStretch{End: key == 0, Calls: at.calls}
		of.Until, of.Part = at.place()
		places[at] = of
	}
	for at, t := range s.times {
		one := *places[at.until]
		one.First, one.Time, one.Times = t.first, t.time, t.times
		if at.after != nil {
			one.After = places[at.after].Until
			if one.End { // which has no part of its own
				one.Part = places[at.after].Part
			}
		}
		i := slices.IndexFunc(all, func(r rankStretch) bool {
			return r.Until == one.Until && r.After == one.After && r.End == one.End && r.First == one.First
		})
		if i < 0 {
			all = append(all, one)
			continue
		}
		r := &all[i]
		r.Time, r.Times, r.Calls = r.Time+one.Time, r.Times+one.Times, r.Calls+one.Calls
	}
	slices.SortFunc(all, func(a, b rankStretch) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Until, b.Until), cmp.Compare(a.After, b.After))
	})
	return all[:min(len(all), mostStretch)]
}

// place returns the line of a site, and the type of package parts that the program calls there.
func (s *site) place() (line, part string) {
	pcs := s.pcs[:]
	for len(pcs) > 0 && pcs[len(pcs)-1] == 0 {
		pcs = pcs[:len(pcs)-1]
	}
	if len(pcs) == 0 {
		return "", ""
	}
	frames := source.Frames(pcs)
	if line = source.Line(frames); line == source.Unknown {
		line = ""
	}
	return line, source.Part(frames)
}
