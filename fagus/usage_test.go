//go:build linux

package fagus_test

import (
	"os"
	"strings"
	"testing"

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
