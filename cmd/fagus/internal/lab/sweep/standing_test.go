package sweep

import (
	"testing"

	"github.com/fagus-dsm/fagus/fagus/program/repeat"
)

func sample(median, min, max int64) repeat.Sample {
	return repeat.Sample{Median: median, Min: min, Max: max}
}

func TestDuel(t *testing.T) {
	phase, push, threads := standing{Mode: "phase"}, standing{Mode: "phase"}, standing{Mode: "threaded"}
	for _, c := range []struct {
		phase, push, threads repeat.Sample
		want                 string
	}{
		{sample(10, 10, 10), sample(20, 20, 20), sample(30, 30, 30), "phases, 3.00 x"},
		{sample(50, 50, 50), sample(40, 40, 40), sample(30, 30, 30), "threads, 1.33 x"},
		// a difference of 1 %, which is not more than significant
		{sample(1000, 1000, 1000), sample(2000, 2000, 2000), sample(1010, 1010, 1010), "neither"},
		// the ranges of the runs overlap
		{sample(10, 8, 25), sample(100, 90, 110), sample(30, 25, 33), "neither"},
		{sample(0, 0, 0), sample(0, 0, 0), sample(0, 0, 0), "neither"},
	} {
		phase.TimeNs, push.TimeNs, threads.TimeNs = c.phase, c.push, c.threads
		if got := newDuel([]standing{phase, push, threads}).String(); got != c.want {
			t.Errorf("%v and %v against %v: %s, want %s", c.phase, c.push, c.threads, got, c.want)
		}
	}
	if got := newDuel([]standing{phase, push}).String(); got != "-" {
		t.Errorf("phases alone: %s", got)
	}
}

func TestVariablesVerdict(t *testing.T) {
	point := func(bytes, variables int, ahead string, lead float64) variablesPoint {
		return variablesPoint{Bytes: bytes, Variables: variables, Ahead: ahead, Lead: lead}
	}
	for _, c := range []struct {
		points []variablesPoint
		want   string
	}{
		{[]variablesPoint{
			point(8, 1, "threads", 1.5), point(8, 4, "phases", 2), point(8, 16, "phases", 3),
			point(64, 1, "threads", 1.25), point(64, 4, "phases", 1.5), point(64, 16, "phases", 2),
		}, "In this run phases win with 4 and more variables of 8 and 64 bytes, by up to 3.00 times; threads win with 1 variable of 8 and 64 bytes, by up to 1.50 times."},
		{[]variablesPoint{
			point(8, 1, "phases", 2), point(8, 4, "neither", 1), point(8, 16, "phases", 3), point(64, 1, "phases", 4), point(64, 4, "phases", 4),
		}, "In this run phases win with 1 and 16 variables of 8 bytes and 1 to 4 variables (all counts) of 64 bytes, by up to 4.00 times; neither wins with 4 variables of 8 bytes."},
		{[]variablesPoint{point(8, 1, "threads", 2), point(8, 2, "threads", 2), point(8, 3, "phases", 2)},
			"In this run phases win with 3 variables of 8 bytes, by up to 2.00 times; threads win with 1 to 2 variables of 8 bytes, by up to 2.00 times."},
		{[]variablesPoint{point(8, 1, "", 0)}, "Versions of one mode alone ran: there is nothing to compare."},
	} {
		if got := variablesVerdict(c.points); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

func TestImbalanceVerdict(t *testing.T) {
	point := func(skew float64, static bool, ns ...repeat.Sample) (p imbalancePoint) {
		p.Skew, p.Static = skew, static
		for i, s := range ns {
			p.Versions = append(p.Versions, standing{Version: []string{"X", "Y"}[i], TimeNs: s})
		}
		return p
	}
	got := imbalanceVerdict([]imbalancePoint{
		point(0, true, sample(30, 30, 30), sample(20, 20, 20)), point(0, false, sample(40, 40, 40), sample(50, 50, 50)),
		point(1, true, sample(30, 30, 30), sample(30, 30, 30)), point(1, false, sample(40, 40, 40), sample(10, 10, 10)),
		point(2, true, sample(30, 9, 30), sample(30, 9, 30)), point(2, false, sample(40, 40, 40), sample(10, 10, 10)),
	})
	const want = "In this run, each in its quickest version, at skew 0 static (Y, 20.000 ns) is ahead of queue (X, 40.000 ns); " +
		"at skew 1 queue (Y, 10.000 ns) is ahead of static (X, 30.000 ns); " +
		"at skew 2 queue (Y, 10.000 ns) is not clearly ahead of static (X, 30.000 ns ±70 %)."
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
