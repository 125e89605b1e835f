package swarm

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/fagus-dsm/fagus/apps/swarm"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
)

const schema = "fagus.swarm/v1"

type report struct {
	Schema     string       `json:"schema"`
	FirstSeed  uint64       `json:"first_seed"`
	Kinds      []swarm.Kind `json:"kinds"`
	Processors int          `json:"processors"`
	MachineS   float64      `json:"machine_s"`
	Total      figures      `json:"total"`
	Faulty     figures      `json:"under_faults"`
	ByKind     []figures    `json:"by_kind"`
	Failures   []failure    `json:"failures"`
}

type figures struct {
	Kind     swarm.Kind `json:"kind,omitempty"`
	Cases    int        `json:"cases"`
	Struck   int        `json:"struck"`
	Messages uint64     `json:"messages"`
	Phases   uint64     `json:"phases"`
	Repeated uint64     `json:"repeated_phases"`
	Requests uint64     `json:"requests"`
	Tenures  int        `json:"tenures"`
	VirtualS float64    `json:"virtual_s"`
	Failures int        `json:"failures"`
}

// failure is a failed case, and the smaller failing case that shrinking found.
type failure struct {
	Seed          uint64        `json:"seed"`
	Failure       swarm.Failure `json:"failure"`
	Replay        string        `json:"replay"`
	Shrunk        swarm.Case    `json:"shrunk"`
	ShrunkFailure swarm.Failure `json:"shrunk_failure"`
	whole         swarm.Case
}

const noFault swarm.Kind = "none"

func newReport(p *campaign) *report {
	r := &report{Schema: schema, FirstSeed: p.first, Kinds: p.kinds, Processors: min(p.workers, runtime.GOMAXPROCS(0)), Failures: []failure{}}
	if r.Kinds == nil || p.only != nil {
		r.Kinds = swarm.Kinds()
	}
	r.ByKind = base.Map(append([]swarm.Kind{noFault}, swarm.Kinds()...), func(kind swarm.Kind) figures { return figures{Kind: kind} })
	return r
}

func (r *report) add(c *swarm.Case, o *swarm.Outcome) {
	kinds := c.Kinds()
	r.Total.add(c, o)
	if len(kinds) == 0 {
		kinds = []swarm.Kind{noFault}
	} else {
		r.Faulty.add(c, o)
	}
	for i := range r.ByKind {
		if slices.Contains(kinds, r.ByKind[i].Kind) {
			r.ByKind[i].add(c, o)
		}
	}
	if o.Failure != nil {
		r.Failures = append(r.Failures, failure{Seed: c.Seed, Failure: *o.Failure, whole: *c})
	}
}

func (s *figures) add(c *swarm.Case, o *swarm.Outcome) {
	s.Cases++
	s.Phases += o.Phases
	s.Repeated += o.Repeated
	s.Requests += o.Requests
	s.Tenures += o.History.Tenures
	s.VirtualS += float64(o.Result.End.Nanoseconds()) / 1e9
	if o.Failure != nil {
		s.Failures++
	}
	for i, f := range c.Faults {
		if (s.Kind == "" || s.Kind == swarm.Kind(f.Kind)) && i < len(o.Result.Struck) && o.Result.Struck[i] {
			s.Struck++
		}
	}
	u := &o.Result.UDP
	for kind, n := range map[swarm.Kind]uint64{
		swarm.Partition: o.Result.Held + u.Parted,
		swarm.Corrupt:   u.Corrupted,
		swarm.Loss:      u.Lost - u.Parted,
		swarm.Duplicate: u.Duplicated,
		swarm.Reorder:   u.Reordered,
	} {
		if s.Kind == "" || s.Kind == kind {
			s.Messages += n
		}
	}
}

func outcomeText(o *swarm.Outcome) string {
	verdict := "ok"
	if o.Failure != nil {
		verdict = "FAILED: " + o.Failure.Error()
	}
	return fmt.Sprintf("%d phases (%d repeated), %d requests, %d tenures, %v of virtual time, trace hash %016x: %s",
		o.Phases, o.Repeated, o.Requests, o.History.Tenures, o.Result.End, o.Result.TraceHash, verdict)
}

func (r *report) text() string {
	t := base.NewTable(table.Row{"fault", "cases", "struck", "messages", "phases", "repeated", "requests", "tenures", "failures"}, 2, 3, 4, 5, 6, 7, 8, 9)
	row := func(name string, s *figures) table.Row {
		return table.Row{name, s.Cases, s.Struck, s.Messages, s.Phases, s.Repeated, s.Requests, s.Tenures, s.Failures}
	}
	for i := range r.ByKind {
		if s := &r.ByKind[i]; s.Cases > 0 {
			t.AppendRow(row(string(s.Kind), s))
		}
	}
	t.AppendFooter(row("all", &r.Total))
	text := fmt.Sprintf("%s\n\nstruck: pauses, partitions, crashes and corruptions that affected a packet or a rank; messages: held, lost, doubled, held back or damaged\n"+
		"A case with several faults counts in each of their rows.\n\n"+
		"%d cases from seed %d, %d of them with faults: %d phases and %d requests under faults, in %.0f s of virtual time and %.1f s on %d processors\n",
		t.Render(), r.Total.Cases, r.FirstSeed, r.Faulty.Cases, r.Faulty.Phases, r.Faulty.Requests, r.Total.VirtualS, r.MachineS, r.Processors)
	for i := range r.Failures {
		f := &r.Failures[i]
		text += fmt.Sprintf("\nseed %d FAILED: %v\nagain by: %s\nshrunk: %v\n%v", f.Seed, &f.Failure, f.Replay, &f.ShrunkFailure, f.Shrunk)
	}
	if len(r.Failures) == 0 {
		text += "no failure\n"
	}
	return text
}
