package results

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/fagus/program/repeat"
)

// Config has the parameters of Collect.
type Config struct {
	Fagus    string        // path of the command fagus; "": the command that runs now
	Programs []string      // names of programs; empty: all programs
	Nodes    []int         // node counts of the simulated curves
	Rounds   int           // number of rounds of a race
	Limit    time.Duration // wall-clock limit of one run
	Quick    bool          // selects small inputs
	// Simulated leaves out all but the curves and the rivals, whose times are virtual.
	Simulated bool
	// Begin, if not nil, is called with the number of runs before the first. Done, if not nil, is
	// called after each run; calls do not overlap.
	Begin func(runs int)
	Done  func()
}

type collector struct {
	Config
	fagus experiment.Fagus
}

type task struct {
	program string
	args    []string
	keep    func(Run)
}

// Collect runs the programs and returns the results. It returns an error if a program cannot be
// started or ctx ends; a program that fails is recorded in the document.
func Collect(ctx context.Context, cfg Config) (*Document, error) {
	list, err := chosen(cfg.Programs)
	if err != nil {
		return nil, err
	}
	c := collector{cfg, experiment.Fagus{Path: cfg.Fagus, Limit: cfg.Limit}}
	d := &Document{Schema: Schema, CPUs: runtime.NumCPU(), Nodes: cfg.Nodes, Programs: make([]Program, len(list))}
	var together []task
	var races []func() error
	for i, e := range list {
		raced := e.race != ""
		if cfg.Quick {
			e = e.quick()
		}
		p := &d.Programs[i]
		p.Name = e.name
		if !cfg.Simulated {
			p.Checked = make([]Check, len(e.checked))
		}
		for j := range p.Checked {
			together = append(together, checking(e.name, e.checked[j], &p.Checked[j])...)
		}
		p.Curve = Curve{Input: e.curve.name(), Points: make([]Point, len(cfg.Nodes))}
		together = append(together, c.curve(e, p.Curve.Points)...)
		if raced && !cfg.Simulated {
			p.Race = &Race{Input: e.race.name(), Rounds: cfg.Rounds}
			races = append(races, func() error { return c.race(ctx, e.name, e.race, p.Race) })
		}
	}
	together = append(together, c.rivals(list, d)...)
	if cfg.Begin != nil {
		cfg.Begin(len(together) + len(races)*cfg.Rounds*len(variants()))
	}
	if err := c.all(ctx, together); err != nil {
		return nil, err
	}
	for _, race := range races {
		if err := race(); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// all runs tasks, one per processor at a time: no task is timed by the wall clock. It begins with
// the last tasks, which take the longest.
func (c *collector) all(ctx context.Context, tasks []task) error {
	var mutex sync.Mutex
	more := func(i int) bool { return i < len(tasks) }
	return experiment.Crowd(ctx, runtime.NumCPU(), more, func(ctx context.Context, i int) error {
		t := tasks[len(tasks)-1-i]
		r, err := c.run(ctx, t.program, t.args...)
		if err != nil {
			return err
		}
		mutex.Lock()
		defer mutex.Unlock()
		t.keep(r)
		c.done()
		return nil
	})
}

func (c *collector) done() {
	if c.Done != nil {
		c.Done()
	}
}

func modes() []string { return []string{"phase", "threaded"} }

func checking(program string, in input, to *Check) (tasks []task) {
	to.Input, to.Bits = in.name(), Unknown
	for _, net := range []string{"dimmnet1", "inproc", "shm"} {
		for _, mode := range modes() {
			for nodes := 1; nodes <= 4; nodes++ {
				args := append(in.args(), "--net", net, "--mode", mode, "--nodes", strconv.Itoa(nodes))
				tasks = append(tasks, task{program, args, func(r Run) { to.add(nodes, r) }})
			}
		}
	}
	return tasks
}

func (c *collector) curve(e entry, points []Point) (tasks []task) {
	for i, nodes := range c.Nodes {
		points[i].Nodes = nodes
		for k, to := range points[i].runs() {
			args := append(e.curve.args(), "--mode", modes()[k], "--nodes", strconv.Itoa(nodes))
			tasks = append(tasks, task{e.name, args, func(r Run) { *to = r }})
		}
	}
	return tasks
}

// rivals adds the rivalries of the listed programs to the document, and returns their runs.
func (c *collector) rivals(list []entry, d *Document) (tasks []task) {
	for _, v := range rivalries() {
		if slices.ContainsFunc(list, func(e entry) bool { return e.name == v.program }) {
			d.Rivals = append(d.Rivals, Rival{What: v.what, Program: v.program, InputA: string(v.a), InputB: string(v.b), Why: v.why})
		}
	}
	for i := range d.Rivals {
		v := &d.Rivals[i]
		tasks = append(tasks,
			task{v.Program, input(v.InputA).args(), func(r Run) { v.A = r }},
			task{v.Program, input(v.InputB).args(), func(r Run) { v.B = r }})
	}
	return tasks
}

func (c *Check) add(nodes int, r Run) {
	switch {
	case r.Fault == experiment.Refused:
		c.Refused++
		return
	case r.ok():
		c.Verified++
	default:
		c.Faults = append(c.Faults, fmt.Sprintf("%s on %d nodes: %s", c.Input, nodes, r.text()))
	}
	c.Runs++
	if r.Bits != "" {
		c.see(nodes, r.Bits)
	}
}

// see adds a result, which has bits, to Bits.
func (c *Check) see(nodes int, bits string) {
	if c.seen == nil {
		c.seen, c.Bits = make(map[int]string), SameAll
	}
	before, again := c.seen[nodes]
	c.seen[nodes] = bits
	for _, other := range c.seen {
		switch {
		case again && before != bits:
			c.Bits = Differ
		case other != bits && c.Bits == SameAll:
			c.Bits = SameNodes
		}
	}
}

// Run is the result of one run of a program.
type Run struct {
	// Fault is experiment.Refused or Late, or an error; "" if there is a result.
	Fault    string `json:"fault,omitempty"`
	Verified bool   `json:"verified"`
	Bits     string `json:"bits,omitempty"`
	// TimeNs is the slowest rank's time in the measured section; without one, in the program.
	TimeNs   int64  `json:"time_ns"`
	Messages uint64 `json:"messages"` // packets of all NICs
	Bytes    uint64 `json:"bytes"`
	// Asked counts acquire lists, or requests in threaded mode. Transfers counts moved variables.
	Asked     uint64 `json:"asked"`
	Transfers uint64 `json:"transfers"`
	// Waiting is the fraction of all ranks' time spent in calls of Fagus, Barrier included.
	Waiting float64 `json:"waiting,omitempty"`
}

// ok reports whether the run had a right result.
func (r Run) ok() bool { return r.Fault == "" && r.Verified }

func (r Run) wrong() bool {
	return !r.ok() && r.Fault != experiment.Refused && r.Fault != experiment.Late
}

// run runs a program. It returns an error if the command cannot be started or ctx ends.
func (c *collector) run(ctx context.Context, program string, args ...string) (Run, error) {
	got, err := c.fagus.Run(ctx, append([]string{program}, args...)...)
	if err != nil {
		fault, over := experiment.Fault(ctx, err)
		return Run{Fault: fault}, over
	}
	return runOf(&got.Document), nil
}

func runOf(d *experiment.Document) Run {
	m := &d.Messages
	r := Run{
		Verified: d.Verified, Bits: d.Bits, TimeNs: d.Took(), Bytes: d.Bytes + d.Fetched, Messages: m.AOTF + m.BOTF + m.Push + m.Pull,
		Asked: m.Lists + m.Requests, Transfers: m.Transfers,
	}
	var calls, all float64
	for part, ns := range d.TimeNs {
		if part == "total" {
			continue
		}
		all += float64(ns)
		if part != "compute" && part != "end" {
			calls += float64(ns)
		}
	}
	if all > 0 {
		r.Waiting = calls / all
	}
	return r
}

// variant is a way to run the program of a race. The variants take turns.
type variant struct {
	args []string
	// crowd makes another process run the same command at the same time.
	crowd bool
	to    func(*Race) *int64 // returns the field that gets the median time
}

func variants() []variant {
	on := func(net, nodes, mode string) []string {
		return []string{"--net", net, "--nodes", nodes, "--mode", mode}
	}
	return []variant{
		{[]string{"--plain"}, false, func(r *Race) *int64 { return &r.Plain }},
		{[]string{"--plain"}, true, func(r *Race) *int64 { return &r.Crowd }},
		{on("shm", "1", "phase"), false, func(r *Race) *int64 { return &r.One }},
		{on("shm", "2", "phase"), false, func(r *Race) *int64 { return &r.Two }},
		{on("shm", "2", "threaded"), false, func(r *Race) *int64 { return &r.Threaded }},
		{on("inproc", "2", "phase"), false, func(r *Race) *int64 { return &r.Inproc }},
		{on("tcp", "2", "phase"), false, func(r *Race) *int64 { return &r.TCP }},
	}
}

// race lets all variants of a program take turns, and stores the median times in r.
func (c *collector) race(ctx context.Context, program string, in input, r *Race) error {
	list := variants()
	times, waiting := make([][]int64, len(list)), []float64(nil)
	err := repeat.InTurn(c.Rounds, len(list), func(_, at int) error {
		run, err := c.turn(ctx, program, in, list[at])
		if err != nil {
			return err
		}
		c.done()
		if !run.ok() {
			r.Faults = append(r.Faults, program+" "+strings.Join(list[at].args, " ")+": "+run.text())
			return nil
		}
		times[at] = append(times[at], run.TimeNs)
		if list[at].to(r) == &r.Two {
			waiting = append(waiting, run.Waiting)
		}
		return nil
	})
	for i, w := range list {
		*w.to(r) = repeat.Quantile(times[i], 0.5)
	}
	r.Waiting = repeat.Quantile(waiting, 0.5)
	return err
}

// turn runs a variant once. A crowd runs twice at the same time; turn returns the mean time.
func (c *collector) turn(ctx context.Context, program string, in input, w variant) (Run, error) {
	args := append(in.args(), w.args...)
	if !w.crowd {
		return c.run(ctx, program, args...)
	}
	var runs [2]Run
	var errs [2]error
	var wait sync.WaitGroup
	for i := range runs {
		wait.Go(func() { runs[i], errs[i] = c.run(ctx, program, args...) })
	}
	wait.Wait()
	for i, err := range errs {
		if err != nil {
			return Run{}, err
		}
		if !runs[i].ok() {
			return runs[i], nil
		}
	}
	runs[0].TimeNs = (runs[0].TimeNs + runs[1].TimeNs) / 2
	return runs[0], nil
}
