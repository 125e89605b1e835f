package catalog

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/workqueue"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func workqueueProgram() Program {
	return Program{Name: "workqueue", About: "tasks of unequal length from a shared queue", VerifiedBy: "jumping ahead in the random sequence",
		Examples: `
fagus run workqueue --mode threaded --notices       an idle rank takes the next task
fagus run workqueue                                 in phases ranks take turns and compute one after another
fagus run workqueue --static                        tasks are dealt out beforehand, without a queue
fagus run workqueue --skew 0.7 --batch 4 --mode threaded --notices --nodes 8`,
		Flags: append(under("the tasks",
			&cli.Float64Flag{Name: "skew", Usage: "the k-th longest task takes 1/k^`SKEW` of the longest; 0: all are equal"},
			&cli.BoolFlag{Name: "static", Usage: "deal out the batches cyclically, without a queue"},
		), WorkqueueFlags("the tasks", 256, time.Millisecond)...),
		Prepare: func(f Flags) (*Job, error) { return Workqueue(f, f.Float64("skew"), f.Bool("static")) },
	}
}

// WorkqueueFlags returns the flags that Workqueue reads, with the defaults of --tasks and --work.
func WorkqueueFlags(category string, tasks int, work time.Duration) []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "tasks", Category: category, Value: tasks, Usage: "number of `TASKS`"},
		&cli.IntFlag{Name: "batch", Category: category, Value: 1, Usage: "a rank takes `N` tasks at a time"},
		&cli.DurationFlag{Name: "work", Category: category, Value: work,
			Usage: "mean computation of a task: it takes `TIME` on the simulated machine; on a real one the time varies"},
	}
}

// Workqueue returns the job for the program workqueue. The rest of its configuration comes from
// the flags of WorkqueueFlags.
func Workqueue(f Flags, skew float64, static bool) (*Job, error) {
	cfg := workqueue.Config{
		Tasks: f.Int("tasks"), Batch: f.Int("batch"), Work: VirtualTime(f.Duration("work")), Skew: skew, Static: static, Seed: f.Seed,
	}
	if cfg.Batch == 0 { // Run would take 0 for the default, 1
		return nil, usage.Errorf("workqueue: batches of 0 tasks: want at least 1")
	}
	if err := cfg.Validate(); err != nil {
		return nil, usage.Wrap(err)
	}
	order := "from a queue"
	if cfg.Static {
		order = "shared out beforehand"
	}
	return jobOf(code[workqueue.Config, workqueue.Result]{
		config: cfg, progress: func(c *workqueue.Config) *func(int) { return &c.Progress }, run: workqueue.Run,
		outcome: func(r workqueue.Result) Outcome {
			return Outcome{Verification: Verification{Name: "wrong-results/jump-ahead", Value: float64(r.Wrong)}, Took: r.Time}
		},
	}, &Job{
		App: "workqueue", N: cfg.Tasks, Measured: "tasks, of the slowest rank", Unit: "tasks", Units: cfg.Tasks,
		Size: fmt.Sprintf("%d tasks of %v in the mean, skew %v, %s, %d at a time", cfg.Tasks, cfg.Work, cfg.Skew, order, cfg.Batch),
	}), nil
}
