package peers

import (
	"slices"
	"time"
)

// Pair is how far two processors are from each other.
type Pair string

// The distances. A round trip of a cache line of less than far is that of neighbours: 30 ns were
// seen between threads of one core, 100 (AMD Zen 4) and 150 to 250 (a mesh of Intel's) between
// cores near each other, and 420 between those far from each other.
const (
	Near Pair = "near"
	Far  Pair = "far"
	far       = 300 * time.Nanosecond
)

func pairOf(roundTrip time.Duration) Pair {
	if roundTrip < far {
		return Near
	}
	return Far
}

// series are the samples of a way.
type series struct {
	of      map[Pair]*samples
	dropped int
}

// samples are those of a way at one distance, in nanoseconds an operation, and the round trips
// before and after each, in nanoseconds.
type samples struct {
	took, trips []float64
}

// add keeps a sample if the processors were as far from each other before as after.
func (s *series) add(before, after time.Duration, ns float64) {
	pair := pairOf(before)
	if pair != pairOf(after) {
		s.dropped++
		return
	}
	if s.of == nil {
		s.of = map[Pair]*samples{Near: {}, Far: {}}
	}
	at := s.of[pair]
	at.took = append(at.took, ns)
	at.trips = append(at.trips, float64(before), float64(after))
}

// Row is what the samples of one way at one distance came to. Times are nanoseconds of one
// operation.
type Row struct {
	Op   string `json:"op"`
	Size int    `json:"size,omitempty"`
	Pair Pair   `json:"pair"`
	// Trip is the median of the probes.
	Trip    float64 `json:"cache_line_ns"`
	System  string  `json:"system"`
	Variant string  `json:"variant,omitempty"`
	Own     bool    `json:"own"`
	Samples int     `json:"samples"`
	Least   float64 `json:"least_ns"`
	// A quarter of the samples took no longer than First, and a quarter no less than Third.
	First  float64 `json:"first_quartile_ns"`
	Median float64 `json:"median_ns"`
	Third  float64 `json:"third_quartile_ns"`
	// Ratio is the median to the least median of a peer at this distance; null if none has one.
	Ratio *float64 `json:"ratio"`
}

// rows sums up.
func (s *Session) rows(c Case, all []series) (rows []Row, dropped int) {
	for _, pair := range []Pair{Near, Far} {
		start := len(rows)
		for i, w := range c.Ways {
			at := all[i].of[pair]
			if at == nil || len(at.took) == 0 {
				continue
			}
			slices.Sort(at.took)
			slices.Sort(at.trips)
			system := s.Running[w.System]
			rows = append(rows, Row{
				Op: c.Op, Size: c.Size, Pair: pair, Trip: quantile(at.trips, 0.5), System: system.Name, Variant: w.Variant, Own: system.Own, Samples: len(at.took),
				Least: at.took[0], First: quantile(at.took, 0.25), Median: quantile(at.took, 0.5), Third: quantile(at.took, 0.75),
			})
		}
		compare(rows[start:])
	}
	for _, one := range all {
		dropped += one.dropped
	}
	return rows, dropped
}

// compare sets the ratios of rows of one case and distance.
func compare(rows []Row) {
	best := 0.0
	for _, r := range rows {
		if !r.Own && (best == 0 || r.Median < best) {
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

// quantile is the value below which the part q of the sorted samples is, between two of them
// in proportion.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
}
