//go:build linux

package fagus_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestBusyLine checks which processor times of ranks a report speaks of.
func TestBusyLine(t *testing.T) {
	const ms = fagus.Millisecond
	for _, c := range []struct {
		times []fagus.ProcessorTime
		want  string // "": no line
	}{
		{[]fagus.ProcessorTime{{}, {}}, ""},
		{[]fagus.ProcessorTime{{Got: 2 * ms, Wanted: 9 * ms}, {Got: 100 * ms, Wanted: 150 * ms}}, ""},
		{[]fagus.ProcessorTime{{Got: 100 * ms, Wanted: 100 * ms}, {Got: 1 * ms, Wanted: 10 * ms}}, "the process of rank 1 got 10 % of the processor time that it wanted (1.000 ms of 10.000 ms; it may use 2 processors at a time)\n"},
		{[]fagus.ProcessorTime{{Got: 20 * ms, Wanted: 100 * ms}, {Got: 30 * ms, Wanted: 100 * ms}}, "the process of rank 0 got 20 % of the processor time that it wanted (20.000 ms of 100.000 ms; it may use 2 processors at a time); 2 processes got less than two thirds\n"},
	} {
		r := fagus.Report{Clock: dimmnet.Wall}
		for rank, p := range c.times {
			r.Ranks = append(r.Ranks, fagus.Stats{Rank: rank, Usage: fagus.Usage{ProcessorTime: p, Ranks: 1, Processors: 2}})
		}
		text := r.String()
		if c.want == "" && strings.Contains(text, "busy") || !strings.Contains(text, c.want) {
			t.Errorf("%v:\n%swant %q", c.times, text, c.want)
		}
	}
}

// TestProcessorTime: a run in real time says what its process has got, one in virtual time nothing.
func TestProcessorTime(t *testing.T) {
	if _, err := os.ReadFile("/proc/thread-self/schedstat"); err != nil {
		t.Skipf("the kernel keeps no account: %v", err)
	}
	report, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		for begun := n.Now(); n.Now()-begun < 20*fagus.Millisecond; {
		}
		return n.Barrier()
	})
	if err != nil {
		t.Fatal(err)
	}
	if u := report.Ranks[0].Usage; u.Got <= 0 || u.Wanted < u.Got || u.Ranks != 2 || u.Processors < 1 || u.Peak == 0 {
		t.Errorf("the usage of the process is %+v", u)
	}
	if u := report.Ranks[1].Usage; u != (fagus.Usage{}) {
		t.Errorf("rank 1 has the usage %+v, too", u)
	}
	if u := reported(t, fagus.Phase).Ranks[0].Usage; u != (fagus.Usage{}) {
		t.Errorf("in virtual time the usage of the process is %+v", u)
	}
}

// TestIdleLine: a report says when ranks have computed much longer by the clock than their process
// had a processor, and why.
func TestIdleLine(t *testing.T) {
	const ms = fagus.Millisecond
	usage := func(got, waited fagus.Time, ranks int, disk uint64) fagus.Usage {
		return fagus.Usage{ProcessorTime: fagus.ProcessorTime{Got: got, Wanted: got + waited}, Ranks: ranks, Processors: 2, DiskFaults: disk}
	}
	for _, c := range []struct {
		usage     []fagus.Usage
		computing fagus.Time // of each rank
		want      string     // "": no line
	}{
		{[]fagus.Usage{{}, {}}, 1000 * ms, ""},
		{[]fagus.Usage{usage(900*ms, 0, 1, 0), usage(700*ms, 100*ms, 1, 0)}, 1000 * ms, ""},
		{[]fagus.Usage{usage(1*ms, 0, 1, 0), usage(1*ms, 0, 1, 0)}, 9 * ms, ""},
		{[]fagus.Usage{usage(900*ms, 0, 1, 0), usage(300*ms, 600*ms, 1, 0)}, 1000 * ms, "rank 1 computed for 1.000 s by the clock, but the process got 300.000 ms of processor time: its threads waited 600.000 ms for a processor, which others had\n"},
		{[]fagus.Usage{usage(340*ms, 0, 2, 0), {}}, 1350 * ms, "ranks 0 and 1 computed for 2.700 s by the clock, but the process got 340.000 ms of processor time: it slept, or read or wrote files, or waited for other programs (asleep for 2.360 s, also in calls)\n"},
		{[]fagus.Usage{usage(1980*ms, 0, 4, 0), {}, {}, {}}, 1000 * ms, "ranks 0 to 3 computed for 4.000 s by the clock, but the process got 1.980 s of processor time: its 4 ranks share 2 processors\n"},
		{[]fagus.Usage{usage(100*ms, 0, 1, 300), usage(100*ms, 0, 1, 0)}, 1000 * ms, "rank 0 computed for 1.000 s by the clock, but the process got 100.000 ms of processor time: 300 pages had to be read from disk: it has too little memory, or maps files; 2 processes got less than two thirds\n"},
	} {
		r := fagus.Report{Clock: dimmnet.Wall}
		for rank, u := range c.usage {
			s := fagus.Stats{Rank: rank, Usage: u}
			s.Parts[fagus.PartCompute].Time = c.computing
			r.Ranks = append(r.Ranks, s)
		}
		text := r.String()
		if c.want == "" && strings.Contains(text, "by the clock, but") || !strings.Contains(text, c.want) {
			t.Errorf("%v:\n%swant %q", c.usage, text, c.want)
		}
	}
}

// TestUsageOfSections: what a process uses outside measured sections is not in MeasuredUsage. A
// program that sleeps did not compute.
func TestUsageOfSections(t *testing.T) {
	report, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Timeline: true}, func(n *fagus.Node) error {
		for begun := n.Now(); n.Now()-begun < 20*fagus.Millisecond; {
		}
		for range 3 {
			_, err := n.Measure(func() error {
				_, err := n.Measure(func() error { time.Sleep(20 * time.Millisecond); return nil })
				return err
			})
			if err != nil {
				return err
			}
		}
		return n.Barrier()
	})
	if err != nil {
		t.Fatal(err)
	}
	all, section := report.Ranks[0].Usage, report.Ranks[0].MeasuredUsage
	if section.Got <= 0 || section.Got >= all.Got || section.Ranks != 2 || section.Voluntary == 0 || section.Voluntary > all.Voluntary {
		t.Errorf("the sections used %+v of %+v", section, all)
	}
	text := report.String()
	for _, want := range []string{"ranks 0 and 1", "peak memory", "note: ranks 0 and 1 computed for"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	var picture strings.Builder
	if err := report.Timeline(&picture); err != nil || !strings.Contains(picture.String(), ">waited for one<") {
		t.Errorf("%v: no processor time in\n%s", err, picture.String())
	}
	of := report.Summary().Ranks
	if u := of[0].MeasuredUsage; u == nil || u.ProcessorNs != section.Got.Nanoseconds() || of[0].Usage.Peak == 0 || of[1].Usage != nil {
		t.Errorf("the document has %+v and %+v", of[0], of[1])
	}
}

// BenchmarkMeasure measures what an empty section takes, with what is read before and after it.
func BenchmarkMeasure(b *testing.B) {
	_, err := fagus.Run(b.Context(), fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		for b.Loop() {
			if _, err := n.Measure(func() error { return nil }); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
