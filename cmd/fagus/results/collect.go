package results

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Config says what is collected, and how.
type Config struct {
	Fagus    string        // the command: an executable
	Programs []string      // names; empty: all
	Nodes    []int         // of the simulated curves
	Rounds   int           // of races
	Limit    time.Duration // of a run
	Quick    bool          // small inputs
	// Begin is told how many runs there will be, and Done of each, one after another.
	Begin func(runs int)
	Done  func()
}

// collector collects.
type collector struct {
	Config
	runner
}

// task is a run, and what becomes of it.
type task struct {
	program string
	args    []string
	keep    func(Run)
}

// Collect runs what cfg says. An error is one of the surroundings, or that ctx has ended; what programs do wrong
// is in the document.
func Collect(ctx context.Context, cfg Config) (*Document, error) {
	list, err := chosen(cfg.Programs)
	if err != nil {
		return nil, err
	}
	c := collector{cfg, runner{cfg.Fagus, cfg.Limit}}
	d := &Document{Schema: Schema, CPUs: runtime.NumCPU(), Nodes: cfg.Nodes, Programs: make([]Program, len(list))}
	var together []task
	var races []*racer
	for i, e := range list {
		raced := e.race != ""
		if cfg.Quick {
			e = e.quick()
		}
		p := &d.Programs[i]
		p.Name = e.name
		p.Checked = make([]Check, len(e.checked))
		for j, in := range e.checked {
			together = append(together, checking(e.name, in, &p.Checked[j])...)
		}
		p.Curve = Curve{Input: e.curve.name(), Points: make([]Point, len(cfg.Nodes))}
		together = append(together, c.curve(e, p.Curve.Points)...)
		if raced {
			p.Race = &Race{Input: e.race.name(), Rounds: cfg.Rounds}
			races = append(races, &racer{program: e.name, in: e.race, race: p.Race})
		}
	}
	together = append(together, c.rivals(list, d)...)
	if cfg.Begin != nil {
		cfg.Begin(len(together) + len(races)*cfg.Rounds*len(ways()))
	}
	if err := c.all(ctx, together); err != nil {
		return nil, err
	}
	for i := range d.Programs {
		for j := range d.Programs[i].Checked {
			d.Programs[i].Checked[j].finish()
		}
	}
	for _, r := range races {
		if err := c.race(ctx, r); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// all runs tasks, as many at a time as there are processors: none of them is timed by the wall clock. The
// long ones, which are the last ones, begin first.
func (c *collector) all(ctx context.Context, tasks []task) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mutex sync.Mutex
	var wait sync.WaitGroup
	next := make(chan task)
	for range runtime.NumCPU() {
		wait.Go(func() {
			for t := range next {
				r, err := c.run(ctx, t.program, t.args...)
				if err != nil {
					cancel(err)
					continue
				}
				mutex.Lock()
				t.keep(r)
				c.done()
				mutex.Unlock()
			}
		})
	}
	for _, t := range slices.Backward(tasks) {
		next <- t
	}
	close(next)
	wait.Wait()
	return context.Cause(ctx)
}

func (c *collector) done() {
	if c.Done != nil {
		c.Done()
	}
}

// modes are the engines.
func modes() []string { return []string{"phase", "threaded"} }

// checking are the runs of a check.
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
		for _, mode := range modes() {
			args := append(e.curve.args(), "--mode", mode, "--nodes", strconv.Itoa(nodes))
			tasks = append(tasks, task{e.name, args, func(r Run) {
				if mode == modes()[0] {
					points[i].Phase = r
				} else {
					points[i].Threaded = r
				}
			}})
		}
	}
	return tasks
}

// rivals are those of the programs of a list.
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

// add counts a run.
func (c *Check) add(nodes int, r Run) {
	switch {
	case r.Fault == Refused:
		c.Refused++
		return
	case r.ok():
		c.Verified++
	default:
		c.Faults = append(c.Faults, fmt.Sprintf("%s on %d nodes: %s", c.Input, nodes, r.text()))
	}
	c.Runs++
	if r.Bits != "" {
		if c.seen == nil {
			c.seen = make(map[string]map[int]bool)
		}
		if c.seen[r.Bits] == nil {
			c.seen[r.Bits] = make(map[int]bool)
		}
		c.seen[r.Bits][nodes] = true
	}
}

// finish says how far results are the same.
func (c *Check) finish() {
	counts := 0
	nodes := make(map[int]bool)
	for _, on := range c.seen {
		counts += len(on)
		for n := range on {
			nodes[n] = true
		}
	}
	switch {
	case len(c.seen) == 0:
		c.Bits = Unknown
	case len(c.seen) == 1:
		c.Bits = SameAll
	case counts == len(nodes):
		c.Bits = SameNodes
	default:
		c.Bits = Differ
	}
}
