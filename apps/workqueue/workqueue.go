package workqueue

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Config describes a run.
type Config struct {
	// Tasks is how many there are.
	Tasks int
	// Batch is how many a rank takes at a time; 0 stands for 1.
	Batch int
	// Work is the mean computation of a task, in the time of the simulated machine.
	// It is really done, so a wall clock sees what it takes there.
	Work fagus.Time
	// Skew says how unequal the tasks are, by Zipf's law: the k-th longest takes
	// 1/k^Skew of the longest. With 0 all are equal.
	Skew float64
	// Static shares out the batches cyclically, without a queue.
	Static bool
	// Seed decides which tasks are the long ones, and what they compute.
	Seed uint64
	// Progress, if not nil, is called at every rank with the number of tasks that it
	// has just finished.
	Progress func(tasks int)
}

// Result is what a rank has in the end.
type Result struct {
	// Wrong is how many results are not what they should be. Only rank 0 knows.
	Wrong int
	// Tasks is how many this rank did.
	Tasks int
	// Time is what this rank's part took, from a barrier before it.
	Time fagus.Time
}

// The most of everything: the queue's end then stays far from what a number holds.
const (
	maxTasks = 1 << 24
	maxWork  = 100 * fagus.Second
	maxSkew  = 100
)

// Validate reports what cannot be run.
func (c *Config) Validate() error {
	switch {
	case c.Tasks < 1 || c.Tasks > maxTasks:
		return fmt.Errorf("workqueue: %d tasks: want 1 to %d", c.Tasks, maxTasks)
	case c.Batch < 0 || c.Batch > maxTasks:
		return fmt.Errorf("workqueue: batches of %d tasks: want 1 to %d", c.Batch, maxTasks)
	case c.Work < 0 || c.Work > maxWork:
		return fmt.Errorf("workqueue: work of %v a task: want 0 to %v", c.Work, maxWork)
	case !(c.Skew >= 0 && c.Skew <= maxSkew): // this way round for NaN
		return fmt.Errorf("workqueue: skew %v: want 0 to %d", c.Skew, maxSkew)
	}
	return nil
}

// queue is the program's shared data.
type queue struct {
	Config
	node         *fagus.Node
	tasks        []task
	next         *parts.Queue
	results      *fagus.Array[uint64]
	guardResults []*fagus.SyncVar // by batch
	done         int              // tasks of this rank
}

// Run does the tasks. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	cfg.Batch = min(max(1, cfg.Batch), cfg.Tasks)
	q := queue{Config: cfg, node: n, tasks: tasks(cfg)}
	if err := q.declare(); err != nil {
		return Result{}, err
	}
	work := q.takeTurns
	if q.Static {
		work = q.share
	}
	took, err := parts.Timed(n, work)
	if err != nil {
		return Result{}, err
	}
	result := Result{Tasks: q.done, Time: took}
	if err := n.Barrier(); err != nil { // all results are there
		return Result{}, err
	}
	if n.Rank() != 0 {
		return result, nil
	}
	result.Wrong, err = q.verify()
	return result, err
}

// declare makes the arrays and binds the variables, the same at every rank.
func (q *queue) declare() (err error) {
	if q.results, err = fagus.NewArray[uint64](q.node, "results", q.Tasks); err != nil {
		return err
	}
	q.guardResults = make([]*fagus.SyncVar, q.batches())
	for b := range q.guardResults {
		if q.guardResults[b], err = q.node.Bind(fmt.Sprintf("results.%d", b), q.results.Range(q.batch(b))); err != nil {
			return err
		}
	}
	if q.Static {
		return nil
	}
	q.next, err = parts.NewQueue(q.node, "next", q.Tasks, q.Batch)
	return err
}

// batches is how many there are; the last one may be smaller.
func (q *queue) batches() int { return (q.Tasks + q.Batch - 1) / q.Batch }

// batch are the tasks lo up to but not including hi of batch b.
func (q *queue) batch(b int) (lo, hi int) { return b * q.Batch, min((b+1)*q.Batch, q.Tasks) }

// takeTurns takes batches from the queue until it is empty.
func (q *queue) takeTurns() error {
	var results []uint64 // of the tasks from done on, which are not handed in
	var wants []fagus.Request
	done := 0
	for {
		lo, hi, err := q.next.Next(func() { copy(q.results.Slice()[done:], results) }, wants...)
		if err != nil || lo == hi {
			return err
		}
		results = make([]uint64, hi-lo)
		if err := q.compute(results, lo); err != nil {
			return err
		}
		done, wants = lo, []fagus.Request{fagus.Want(q.guardResults[lo/q.Batch], fagus.Exclusive)}
	}
}

// share does every batch that falls to this rank.
func (q *queue) share() error {
	n := q.node
	var wants []fagus.Request
	for b := n.Rank(); b < q.batches(); b += n.Nodes() {
		wants = append(wants, fagus.Want(q.guardResults[b], fagus.Exclusive))
	}
	set := n.Set(wants...)
	if err := n.Acquire(set); err != nil {
		return err
	}
	for b := n.Rank(); b < q.batches(); b += n.Nodes() {
		lo, hi := q.batch(b)
		if err := q.compute(q.results.Slice()[lo:hi], lo); err != nil {
			return err
		}
	}
	return n.Release(set)
}

// compute does the tasks from first on, one for each of results.
func (q *queue) compute(results []uint64, first int) error {
	for i := range results {
		x, err := q.tasks[first+i].do(q.node)
		if err != nil {
			return err
		}
		results[i] = x
		q.done++
		if q.Progress != nil {
			q.Progress(1)
		}
	}
	return nil
}

// verify acquires all results and counts those that are wrong.
func (q *queue) verify() (wrong int, err error) {
	var wants []fagus.Request
	for _, v := range q.guardResults {
		wants = append(wants, fagus.Want(v, fagus.Shared))
	}
	set := q.node.Set(wants...)
	if err := q.node.Acquire(set); err != nil {
		return 0, err
	}
	for i, x := range q.results.Slice() {
		if x != q.tasks[i].jump() {
			wrong++
		}
	}
	return wrong, q.node.Release(set)
}
