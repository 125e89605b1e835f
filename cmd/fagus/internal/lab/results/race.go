package results

import (
	"context"
	"strings"
	"sync"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
)

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

type racer struct {
	program string
	in      input
	race    *Race
}

// race lets all variants take turns, and stores the median times in the Race.
func (c *collector) race(ctx context.Context, r *racer) error {
	list := variants()
	times, waiting := make([][]int64, len(list)), []float64(nil)
	err := experiment.InTurn(c.Rounds, len(list), func(_, at int) error {
		run, err := c.turn(ctx, r, list[at])
		if err != nil {
			return err
		}
		c.done()
		if !run.ok() {
			r.race.Faults = append(r.race.Faults, r.program+" "+strings.Join(list[at].args, " ")+": "+run.text())
			return nil
		}
		times[at] = append(times[at], run.TimeNs)
		if list[at].to(r.race) == &r.race.Two {
			waiting = append(waiting, run.Waiting)
		}
		return nil
	})
	for i, w := range list {
		*w.to(r.race) = experiment.Quantile(times[i], 0.5)
	}
	r.race.Waiting = experiment.Quantile(waiting, 0.5)
	return err
}

// turn runs a variant once. A crowd runs twice at the same time; turn returns the mean time.
func (c *collector) turn(ctx context.Context, r *racer, w variant) (Run, error) {
	args := append(r.in.args(), w.args...)
	if !w.crowd {
		return c.run(ctx, r.program, args...)
	}
	var runs [2]Run
	var errs [2]error
	var wait sync.WaitGroup
	for i := range runs {
		wait.Go(func() { runs[i], errs[i] = c.run(ctx, r.program, args...) })
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
