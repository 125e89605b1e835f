package peers

import (
	"slices"
	"time"

	"github.com/fagus-dsm/fagus/fagus/program/repeat"
)

// Pair is the distance between two processors.
type Pair string

// The distances. Processors are near each other if a cache line's round trip takes less than
// far. Measured round trips: 30 ns between threads of one core, 100 ns (AMD Zen 4) and 150 to
// 250 ns (an Intel mesh) between neighbouring cores, and 300 to 420 ns between distant ones.
const (
	Near Pair = "near"
	Far  Pair = "far"
	far       = 275 * time.Nanosecond
)

func pairOf(roundTrip time.Duration) Pair {
	if roundTrip < far {
		return Near
	}
	return Far
}

type series struct {
	of      map[Pair]*samples
	spent   time.Duration // the time of all samples
	taken   int           // with those dropped
	dropped int
}

// enough reports whether a series has used up its budget; 0 means that it has none.
func (s *series) enough(budget time.Duration) bool {
	const least = 3
	return budget > 0 && s.taken >= least && s.spent >= budget
}

// samples has the times per operation at one distance, and the probes, all in nanoseconds.
type samples struct {
	took, trips []float64
}

// add keeps a sample if the probes before and after it show the same distance.
func (s *series) add(before, after, took time.Duration, count int) {
	s.spent += took
	s.taken++
	pair := pairOf(before)
	if pair != pairOf(after) {
		s.dropped++
		return
	}
	if s.of == nil {
		s.of = map[Pair]*samples{Near: {}, Far: {}}
	}
	at := s.of[pair]
	at.took = append(at.took, float64(took.Nanoseconds())/float64(count))
	at.trips = append(at.trips, float64(before), float64(after))
}

// Row summarises a method at one distance. Times are in nanoseconds per operation.
type Row struct {
	Op    string `json:"op"`
	Size  int    `json:"size,omitempty"`
	Ranks int    `json:"ranks"`
	Pair  Pair   `json:"pair"`
	// Trip is the median of the probes: the round trip of a cache line.
	Trip   float64 `json:"cache_line_ns"`
	System string  `json:"system"`
	Hogs   int     `json:"hogs"` // busy processes beside it
	// TimedOut says that the system has not answered in time; there are no times then.
	TimedOut bool   `json:"timed_out,omitempty"`
	Variant  string `json:"variant,omitempty"`
	Own      bool   `json:"own"`
	// Beside marks a method that is shown for comparison, as over another network: it is no peer.
	Beside  bool    `json:"beside,omitempty"`
	Samples int     `json:"samples"`
	Batch   int64   `json:"batch_ns"` // the approximate time of a sample
	Least   float64 `json:"least_ns"`
	// First and Third are quartiles: a quarter of the samples are at most First.
	First  float64 `json:"first_quartile_ns"`
	Median float64 `json:"median_ns"`
	Third  float64 `json:"third_quartile_ns"`
	// Ratio is Median divided by the least median of a peer at this distance; null without peers.
	Ratio *float64 `json:"ratio"`
}

// rows summarises the samples of a case: a row for each method and distance.
func (s *Session) rows(c Case, all []series) (rows []Row, dropped int) {
	for _, pair := range []Pair{Near, Far} {
		start := len(rows)
		for i := range all {
			at := all[i].of[pair]
			if at == nil || len(at.took) == 0 {
				continue
			}
			row := Row{Op: c.Op, Size: c.Size, Pair: pair}
			if i < len(c.Methods) {
				w := c.Methods[i]
				system := s.Running[w.System]
				row.Ranks, row.System, row.Variant = system.Ranks, system.Name, w.Variant
				row.Own, row.Beside, row.Batch = system.Own, w.Beside, s.Batch.Nanoseconds()
			} else {
				row.Ranks, row.System = 2, c.Others[i-len(c.Methods)].Name
			}
			rows = append(rows, at.summary(row))
		}
		compare(rows[start:])
	}
	for _, one := range all {
		dropped += one.dropped
	}
	return rows, dropped
}

// summary returns row with the samples' numbers.
func (s *samples) summary(row Row) Row {
	row.Trip, row.Samples, row.Least = repeat.Quantile(s.trips, 0.5), len(s.took), slices.Min(s.took)
	row.First, row.Median, row.Third = repeat.Quantile(s.took, 0.25), repeat.Quantile(s.took, 0.5), repeat.Quantile(s.took, 0.75)
	return row
}

// compare sets the ratios of the rows of one case at one distance.
func compare(rows []Row) {
	best := 0.0
	for _, r := range rows {
		if !r.Own && !r.Beside && (best == 0 || r.Median < best) {
			best = r.Median
		}
	}
	for i := range rows {
		if best > 0 {
			ratio := rows[i].Median / best
			rows[i].Ratio = &ratio
		}
	}
}
