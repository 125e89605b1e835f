package workqueue

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Config describes a run.
type Config struct {
	// Tasks is the number of tasks.
	Tasks int
	// Batch is the number of tasks that a rank takes at a time; 0 means 1.
	Batch int
	// Work is the mean computation of a task, in time of the simulated machine. It is really
	// performed, so real time passes as well.
	Work fagus.Time
	// Skew makes the tasks unequal, by Zipf's law: the k-th longest takes 1/k^Skew of the
	// longest. With 0 all are equal.
	Skew float64
	// Static deals the batches to the ranks in turn, without a queue.
	Static bool
	// Seed determines which tasks are long, and what they compute.
	Seed uint64
	// Progress, if not nil, is called at every rank with the number of tasks that it has just
	// finished.
	Progress func(tasks int)
}

// Result is the outcome at one rank.
type Result struct {
	// Wrong is the number of wrong results. Only rank 0 has it.
	Wrong int
	// Tasks is the number of tasks that this rank performed.
	Tasks int
	// Time is the duration of this rank's part, from the barrier before it.
	Time fagus.Time
}

// Upper limits of the configuration. They keep all sums far below the limits of their types.
const (
	maxTasks = 1 << 24
	maxWork  = 100 * fagus.Second
	maxSkew  = 100
)

// Validate reports an error if the program cannot run with c.
func (c *Config) Validate() error {
	switch {
	case c.Tasks < 1 || c.Tasks > maxTasks:
		return fmt.Errorf("workqueue: %d tasks: want 1 to %d", c.Tasks, maxTasks)
	case c.Batch < 0 || c.Batch > maxTasks:
		return fmt.Errorf("workqueue: batches of %d tasks: want 1 to %d", c.Batch, maxTasks)
	case c.Work < 0 || c.Work > maxWork:
		return fmt.Errorf("workqueue: work of %v per task: want 0 to %v", c.Work, maxWork)
	case !(c.Skew >= 0 && c.Skew <= maxSkew): // written so that NaN fails
		return fmt.Errorf("workqueue: skew %v: want 0 to %d", c.Skew, maxSkew)
	}
	return nil
}

type queue struct {
	Config
	node         *fagus.Node
	tasks        []task
	next         *parts.Queue
	results      *fagus.Array[uint64]
	guardResults []*fagus.SyncVar // by batch
	done         int              // tasks performed by this rank
}

// Run performs the tasks. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	cfg.Batch = min(max(1, cfg.Batch), cfg.Tasks)
	q := queue{Config: cfg, node: n, tasks: tasks(cfg)}
	if err := q.declare(); err != nil {
		return Result{}, err
	}
	n.Resume()
	work := q.takeTurns
	if q.Static {
		work = func() error { return q.next.DealInRounds(q.share) }
	}
	took, err := parts.Timed(n, work)
	if err != nil {
		return Result{}, err
	}
	n.Barrier() // all results are written
	result := Result{Tasks: q.done, Time: took}
	if n.Rank() == 0 {
		result.Wrong = q.verify()
	}
	return result, n.Err()
}

func (q *queue) declare() (err error) {
	if q.results, err = fagus.NewArray[uint64](q.node, "results", q.Tasks); err != nil {
		return err
	}
	if q.next, err = parts.NewQueue(q.node, "next", q.Tasks, q.Batch); err != nil {
		return err
	}
	q.guardResults = make([]*fagus.SyncVar, q.next.Batches())
	for b := range q.guardResults {
		if q.guardResults[b], err = q.node.Bind(fmt.Sprintf("results.%d", b), q.results.Range(q.next.Batch(b))); err != nil {
			return err
		}
	}
	return nil
}

func (q *queue) takeTurns() error {
	results := make([]uint64, q.Tasks) // private
	return q.next.EachInRounds(func(b int) error {
		lo, hi := q.next.Batch(b)
		return q.compute(results[lo:hi], lo)
	}, parts.Results{
		Want: func(b int) fagus.Request { return q.guardResults[b].Write() },
		Store: func(b int) {
			lo, hi := q.next.Batch(b)
			copy(q.results.Slice()[lo:hi], results[lo:hi])
		},
	})
}

func (q *queue) share(batches []int) error {
	n := q.node
	var wants []fagus.Request
	for _, b := range batches {
		wants = append(wants, q.guardResults[b].Write())
	}
	return n.During(n.Set(wants...), func() error {
		for i, b := range batches {
			n.DefaultProgress(i, len(batches))
			lo, hi := q.next.Batch(b)
			if err := q.compute(q.results.Slice()[lo:hi], lo); err != nil {
				return err
			}
		}
		return nil
	})
}

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

func (q *queue) verify() (wrong int) {
	verify.Everything(q.node, q.guardResults).Do(func() {
		for i, x := range q.results.Slice() {
			if x != q.tasks[i].jump() {
				wrong++
			}
		}
	})
	return wrong
}
