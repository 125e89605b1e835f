package fagus_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/fagus"
)

// reported runs a program of three ranks in virtual time, in which rank 1 computes longest.
func reported(t *testing.T, mode fagus.Mode) fagus.Report {
	t.Helper()
	net, err := sim.New(sim.Config{HostCost: presets.HostCostOff})
	if err != nil {
		t.Fatal(err)
	}
	report, err := fagus.Run(t.Context(), fagus.Config{Nodes: 3, Net: net, Mode: mode, Timeline: true}, func(n *fagus.Node) error {
		a, err := fagus.NewArray[int64](n, "a", 64)
		if err != nil {
			return err
		}
		v, err := n.Bind("v", a.All())
		if err != nil {
			return err
		}
		set := n.Set(fagus.Want(v, fagus.Exclusive))
		if err := n.Acquire(set); err != nil {
			return err
		}
		a.Slice()[n.Rank()]++
		n.Spend(fagus.Time(1+n.Rank()%2) * fagus.Millisecond)
		return errors.Join(n.Release(set), n.Barrier())
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestReportString: a report names the total, each rank's shares and for whom it waited, what was
// sent, and the variable on which the program is serialised.
func TestReportString(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		report := reported(t, mode)
		text := report.String()
		lines := strings.Split(text, "\n")
		want := []string{"3 ranks, " + report.Slowest().String() + " by the virtual clock", "waited most for", "%", "%", `"v" at rank 1: `, " of variables", "advice: rank 2 waited 75 % of the time for exclusive \"v\", "}
		if len(lines) != len(want)+1 {
			t.Fatalf("%v:\n%s: want %d lines", mode, text, len(want))
		}
		for i, words := range want {
			if !strings.Contains(lines[i], words) {
				t.Errorf("%v: line %q: want %q", mode, lines[i], words)
			}
		}
		if strings.Contains(text, "update") || strings.Contains(text, "phase") != (mode == fagus.Phase) || strings.Contains(text, "request") != (mode == fagus.Threaded) {
			t.Errorf("%v:\n%s", mode, text)
		}
	}
	if text := (fagus.Report{}).String(); text != "the run did not start\n" {
		t.Errorf("empty report: %q", text)
	}
	failed, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		if n.Rank() == 1 {
			return errors.New("no")
		}
		return n.Barrier()
	})
	if text := failed.String(); err == nil || !strings.Contains(text, "roll-call of 2 ranks") {
		t.Errorf("failed run, %v: %s", err, text)
	}
}

// TestMeasuredReport: the table of a program that measures a section is about that section.
func TestMeasuredReport(t *testing.T) {
	net, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Net: net}, func(n *fagus.Node) error {
		n.Spend(3 * fagus.Millisecond)
		_, err := n.Measure(func() error {
			n.Spend(fagus.Millisecond)
			return nil
		})
		n.Spend(2 * fagus.Millisecond)
		return err
	})
	text := report.String()
	if err != nil || strings.Count(text, "1.000 ms  100.0 %") != 2 || !strings.Contains(text, "3.000 ms before and 2.000 ms after them") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestManyRows: of many ranks the table has the first six, the slowest and the last.
func TestManyRows(t *testing.T) {
	report := fagus.Report{Ranks: make([]fagus.Stats, 20)}
	for i := range report.Ranks {
		report.Ranks[i].Rank = i
	}
	text := report.String()
	if strings.Count(text, "\n") != 11 || !strings.Contains(text, " 5 ") || !strings.Contains(text, "...") || !strings.Contains(text, "19 ") || strings.Contains(text, "  6 ") {
		t.Errorf("report of 20 ranks:\n%s", text)
	}
	report.Ranks[12].Parts[fagus.PartCompute].Time = fagus.Second
	text = report.String()
	if strings.Count(text, "\n") != 13 || strings.Count(text, "...") != 2 || !strings.Contains(text, "   12  1.000 s  100.0 %\n   ...") {
		t.Errorf("report of 20 ranks, of which rank 12 is the slowest:\n%s", text)
	}
}

// TestReportJSON: the document has the sums over all ranks, and the parts of a rank add up.
func TestReportJSON(t *testing.T) {
	report := reported(t, fagus.Threaded)
	text, err := report.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Schema, Clock string
		Mode          fagus.Mode
		Nodes         int
		fagus.Summary
		Advice *[]fagus.Advice
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if d.Schema != fagus.ReportSchema || d.Clock != "virtual" || d.Mode != fagus.Threaded || d.Nodes != 3 || len(d.Ranks) != 3 || d.Advice == nil {
		t.Errorf("document\n%s", text)
	}
	if len(d.Waits) != 2 || len(d.Late) == 0 || len(d.Serial) != 1 || d.Serial[0].Variable != "v" || d.Waits[0].Access != "exclusive" {
		t.Errorf("waits of ranks in\n%s", text)
	}
	if d.Messages.AOTF == 0 || d.Bytes == 0 || d.Messages.Requests == 0 || d.TimeNs["total"] != report.Slowest().Nanoseconds() {
		t.Errorf("sums %+v", d.Summary)
	}
	for _, r := range d.Ranks {
		var parts int64
		for part := range fagus.Parts {
			parts += r.TimeNs[part.String()]
		}
		if total := r.TimeNs["total"]; parts > total || parts < total-int64(fagus.Parts) {
			t.Errorf("rank %d: the parts add up to %d ns, the total is %d ns", r.Rank, parts, total)
		}
	}
}

// TestSpans: spans follow each other without gaps and have the times of their parts.
func TestSpans(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		for _, s := range reported(t, mode).Ranks {
			var parts [fagus.Parts]fagus.Time
			at := s.Spans[0].From
			for _, span := range s.Spans {
				if span.From != at || span.To <= span.From {
					t.Errorf("%v: rank %d: span %+v after %v", mode, s.Rank, span, at)
				}
				at = span.To
				parts[span.Part] += span.To - span.From
			}
			for part, use := range s.Parts {
				if parts[part] != use.Time {
					t.Errorf("%v: rank %d: spans of %v take %v, want %v", mode, s.Rank, fagus.Part(part), parts[part], use.Time)
				}
			}
		}
	}
}

// TestReportTimeline: the picture is well-formed XML with a row for each rank.
func TestReportTimeline(t *testing.T) {
	report := reported(t, fagus.Phase)
	var text strings.Builder
	if err := report.Timeline(&text); err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(text.String())); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, text.String())
		}
	}
	for _, words := range []string{">rank 0<", ">rank 2<", ">compute<", ">virtual time (ms)<", `fill="#2f6db5"`} {
		if !strings.Contains(text.String(), words) {
			t.Errorf("%q is missing in\n%s", words, text.String())
		}
	}
	if strings.Contains(text.String(), "missing") {
		t.Errorf("the picture says that something is missing:\n%s", text.String())
	}
	report.Ranks[1].Spans = nil
	report.Ranks[0].Spans, report.Ranks[2].Spans = nil, nil
	if err := report.Timeline(io.Discard); err == nil || !strings.Contains(err.Error(), "set Config.Timeline") {
		t.Errorf("without times: %v", err)
	}
}

// TestSpansBounded: a rank records at most MaxSpans spans, and the picture says that it is cut.
func TestSpansBounded(t *testing.T) {
	report, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1, Timeline: true}, func(n *fagus.Node) error {
		for range fagus.MaxSpans {
			if err := n.Barrier(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := report.Timeline(&text); err != nil {
		t.Fatal(err)
	}
	if len(report.Ranks[0].Spans) != fagus.MaxSpans || !strings.Contains(text.String(), "1 rank changed its part more than 65536 times") {
		t.Errorf("%d spans; the picture ends with %q", len(report.Ranks[0].Spans), text.String()[text.Len()-300:])
	}
}
