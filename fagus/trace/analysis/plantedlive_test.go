package analysis_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program"
	"github.com/fagus-dsm/fagus/fagus/trace/analysis"
	"github.com/fagus-dsm/fagus/fagus/trace/tracefile"
)

// Variables that tell the processes that a benchmark starts as ranks which program they are, as
// JSON of choice, and where to write how long it took.
const (
	plantedVariable = "FAGUS_TEST_PLANTED"
	tookVariable    = "FAGUS_TEST_TOOK"
)

type choice struct {
	Name   string
	Mended int
}

// TestMain runs a planted program instead of tests in the processes that a benchmark starts.
func TestMain(m *testing.M) {
	if os.Getenv("FAGUS_RANK") != "" {
		chosen().Main()
		return
	}
	os.Exit(m.Run())
}

// chosen returns the program of plantedVariable.
func chosen() program.App {
	var c choice
	if err := json.Unmarshal([]byte(os.Getenv(plantedVariable)), &c); err != nil {
		panic(err)
	}
	all := onMachine()
	of := all[slices.IndexFunc(all, func(p planted) bool { return p.name == c.Name })]
	of.live.mended = c.Mended
	return program.App{Name: "planted", Run: func(n *fagus.Node) error {
		if err := n.Barrier(); err != nil {
			return err
		}
		took, err := n.Measure(func() error { return errors.Join(of.program(n, of.live), n.Barrier()) })
		if err == nil && n.Rank() == 0 {
			err = os.WriteFile(os.Getenv(tookVariable), []byte(strconv.FormatFloat(milliseconds(took), 'g', -1, 64)), 0o600)
		}
		return err
	}}
}

// onMachine returns the programs for live networks.
func onMachine() []planted {
	all := append(plantedPrograms(), planted{"copies", fagus.Phase, analysis.Placement, "", passAround, fagus.Phase, params{times: 25, block: 1 << 18}})
	return slices.DeleteFunc(all, func(p planted) bool { return p.live == params{} })
}

// BenchmarkPlanted compares the saving that is predicted for a planted inefficiency with what
// removing it saves, over shm and tcp, in processes. Each iteration runs the program with a trace,
// and then the program and the mended one without. Compared are the medians of all iterations: take
// -benchtime 9x.
func BenchmarkPlanted(b *testing.B) {
	for _, net := range []string{"shm", "tcp"} {
		for _, p := range onMachine() {
			if p.name == "copies" && net == "tcp" {
				continue // the ranks share no memory
			}
			b.Run(net+"/"+p.name, func(b *testing.B) { p.compare(b, net) })
		}
	}
}

func (p *planted) compare(b *testing.B, net string) {
	var before, after, predicted []float64 // predicted is a share of the run
	joined := 0
	if p.name == "copies" {
		joined = oneCopy
	}
	for b.Loop() {
		slow, r := runApart(b, net, p.mode, choice{p.name, 0}, true)
		at := slices.IndexFunc(r.Advice, func(a analysis.Advice) bool { return a.Kind == p.kind && a.Variable == p.about })
		if at < 0 {
			b.Logf("no advice, but %v", r.Advice)
			continue
		}
		a := r.Advice[at]
		joined = cmp.Or(joined, max(1, a.Joined)) // the first advice holds
		if joined == oneCopy || joined == max(1, a.Joined) {
			predicted = append(predicted, milliseconds(a.Saves)/slow)
		}
		took, _ := runApart(b, net, p.mode, choice{p.name, 0}, false)
		before = append(before, took)
		took, _ = runApart(b, net, p.mended, choice{p.name, joined}, false)
		after = append(after, took)
	}
	b.ReportMetric(0, "ns/op")
	if len(after) == 0 {
		return
	}
	b.ReportMetric(median(before), "before-ms")
	saved := 1 - median(after)/median(before)
	b.ReportMetric(100*saved, "saved-%")
	b.ReportMetric(100*median(predicted), "predicted-%")
	b.ReportMetric(100*(median(predicted)/saved-1), "off-%")
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// runApart runs a program in processes, and returns its time in milliseconds, and what the trace
// says, if it has one.
func runApart(b *testing.B, net string, mode fagus.Mode, as choice, traced bool) (took float64, r *analysis.Result) {
	b.Helper()
	dir := b.TempDir()
	b.Setenv(plantedVariable, string(must(json.Marshal(as))))
	b.Setenv(tookVariable, filepath.Join(dir, "took"))
	path := filepath.Join(dir, "planted.trace")
	nodes := min(4, max(2, runtime.NumCPU())) // a processor each
	var errs bytes.Buffer
	args := []string{"--net", net, "--nodes", strconv.Itoa(nodes), "--mode", mode.String(), "--placement", placement(params{mended: as.Mended}).String()}
	if traced {
		args = append(args, "--trace", path)
	}
	if code := chosen().Execute(b.Context(), args, io.Discard, &errs); code != 0 {
		b.Fatalf("exit code %d: %s", code, &errs)
	}
	took = must(strconv.ParseFloat(string(must(os.ReadFile(filepath.Join(dir, "took")))), 64))
	if !traced {
		return took, nil
	}
	file := must(os.Open(path))
	defer file.Close()
	return took, analysis.Of(must(tracefile.Read(file)))
}

func milliseconds(t analysis.Time) float64 { return float64(t) / float64(fagus.Millisecond) }
