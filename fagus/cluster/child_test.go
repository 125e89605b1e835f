//go:build linux

package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
)

// child is the main function of a rank in a process of its own, and returns the exit status. laps
// is the number of laps of the ring, or selects another function: "run" cluster.Run, a mode
// relyOnPhases, "serial " and a mode serialise, "sum" sum, "absent" joinIncomplete, "orphan"
// outliveLauncher, "die" dieHolding. Other texts are for meetWithout.
func child(laps string) int {
	err := func() error {
		if laps == "run" {
			_, err := cluster.Run(context.Background(), fagus.Config{}, func(*fagus.Node) error { return nil }, cluster.AllDrivers()...)
			return err
		}
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			if laps == mode.String() {
				_, err := cluster.Run(context.Background(), fagus.Config{Mode: mode, Check: fagus.CheckOn}, relyOnPhases, cluster.AllDrivers()...)
				return err
			}
			if laps == "serial "+mode.String() {
				return serialise(mode)
			}
		}
		if laps == "sum" {
			_, err := cluster.Run(context.Background(), fagus.Config{}, sum, cluster.AllDrivers()...)
			return err
		}
		if laps == "absent" {
			return joinIncomplete()
		}
		if laps == "orphan" {
			return outliveLauncher()
		}
		if laps == "die" {
			return dieHolding()
		}
		if call, victim, found := strings.Cut(laps, ":"); found {
			return meetWithout(call, victim)
		}
		n, err := strconv.ParseUint(laps, 10, 64)
		if err != nil {
			return err
		}
		place, err := cluster.FromEnv(os.LookupEnv)
		if err != nil {
			return err
		}
		ctx := context.Background()
		job, network, err := joinAs(ctx, place)
		if err != nil {
			return err
		}
		err = network.Run(ctx, place.Size, func(h dimmnet.Host) error { return runRing(h.Port(), n) })
		if err != nil {
			fmt.Fprintln(os.Stderr, err) // before Close, because the parent measures the time
		}
		if left := job.Close(ctx); err == nil {
			err = left
		}
		return err
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// relyOnPhases is a program whose last rank reads what rank 0 writes a phase earlier.
func relyOnPhases(n *fagus.Node) error {
	a, err := fagus.NewArray[int64](n, "a", 1)
	if err != nil {
		return err
	}
	v, err := n.Bind("a", a.All())
	if err != nil {
		return err
	}
	sets := []*fagus.SyncSet{n.Set(), n.Set()}
	switch n.Rank() {
	case 0:
		sets[0] = n.Set(fagus.Want(v, fagus.Exclusive))
	case n.Nodes() - 1:
		sets[1] = n.Set(fagus.Want(v, fagus.Shared))
	}
	for _, set := range sets {
		if err := n.During(set, func() error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// serialise runs a program whose ranks contend for one variable, and prints the advice of the run.
func serialise(mode fagus.Mode) error {
	r, err := cluster.Run(context.Background(), fagus.Config{Mode: mode}, func(n *fagus.Node) error {
		head := fagus.NewGuarded[int64](n, "head", 1)
		for range 100 {
			if err := n.Set(head.Write()).Do(func() { time.Sleep(200 * time.Microsecond) }); err != nil {
				return err
			}
		}
		return n.Barrier()
	}, cluster.AllDrivers()...)
	for _, w := range r.Waits {
		fmt.Fprintln(os.Stderr, w)
	}
	return err
}

// sum is a program that prints the sum of all ranks plus one, which each adds in memory.
func sum(n *fagus.Node) error {
	total := fagus.NewGuarded[int64](n, "total", 1)
	if err := n.Set(total.Write()).Do(func() { total.Slice()[0] += int64(n.Rank()) + 1 }); err != nil {
		return err
	}
	if err := n.Barrier(); err != nil {
		return err
	}
	return n.Set(total.Read()).Do(func() { fmt.Printf("rank %d of %d: sum %d\n", n.Rank(), n.Nodes(), total.Slice()[0]) })
}

// joinIncomplete joins the job for at most two seconds. Rank 1 does not.
func joinIncomplete() error {
	place, err := cluster.FromEnv(os.LookupEnv)
	if err != nil || place.Rank == 1 {
		time.Sleep(4 * time.Second) // launchers may end a job whose first rank has ended
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, _, err = joinAs(ctx, place)
	if !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("want an error of the context, got %T", err)
	}
	return err
}

// outliveLauncher runs a ring without end, in which rank 0 kills the launcher's process that has
// started the ranks, and writes the error of the run to a file.
func outliveLauncher() error {
	parent := os.Getppid()
	place, err := cluster.FromEnv(os.LookupEnv)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, network, err := joinAs(ctx, place)
	if err != nil {
		return err
	}
	if place.Rank == 0 {
		name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", parent))
		if err != nil || !strings.HasPrefix(string(name), "hydra_pmi_proxy") && !strings.HasPrefix(string(name), openMPI) {
			return fmt.Errorf("the parent of rank 0 is %q: %w", name, err)
		}
		time.AfterFunc(time.Second, func() { _ = syscall.Kill(parent, syscall.SIGKILL) })
	}
	err = network.Run(ctx, place.Size, func(h dimmnet.Host) error { return runRing(h.Port(), 1<<60) })
	return os.WriteFile(fmt.Sprintf("%s/%d", os.Getenv("CLUSTER_TEST_OUT"), place.Rank), fmt.Append(nil, err), 0o600)
}

// dieHolding runs a program whose ranks contend for one variable, until the process of rank 1 dies
// while it holds the variable and the others wait for it.
func dieHolding() error {
	_, err := cluster.Run(context.Background(), fagus.Config{Mode: fagus.Threaded}, func(n *fagus.Node) error {
		head := fagus.NewGuarded[int64](n, "head", 1)
		for turn := 0; n.Err() == nil; turn++ {
			err := n.Set(head.Write()).Do(func() {
				if n.Rank() == 1 && turn == 100 {
					time.Sleep(200 * time.Millisecond)
					_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				}
			})
			if err != nil {
				return err
			}
		}
		return n.Err()
	}, cluster.AllDrivers()...)
	return err
}

// meetWithout joins the job, and lets all ranks make a call, "gather" or "close", while one rank is
// stopped.
func meetWithout(call, victim string) error {
	place, err := cluster.FromEnv(os.LookupEnv)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	job, _, err := joinAs(ctx, place)
	if err != nil {
		return err
	}
	_, err = job.Gather(ctx, nil)
	if err == nil && strconv.Itoa(place.Rank) == victim {
		err = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		time.Sleep(time.Second) // the signal stops the threads one after the other
	}
	if err == nil && call == "gather" {
		_, err = job.Gather(ctx, nil)
	}
	return errors.Join(err, job.Close(ctx))
}

// joinAs joins the job, over TCP if place has an address, else over shared memory.
func joinAs(ctx context.Context, place cluster.Place) (cluster.Job, dimmnet.Network, error) {
	spec := cluster.Spec{Drivers: cluster.AllDrivers()}
	if err := spec.Complete(os.LookupEnv, place); err != nil {
		return nil, nil, err
	}
	job, err := cluster.Join(ctx, place, spec)
	if err != nil {
		return nil, nil, err
	}
	return job, job.Network(), nil
}

// ring waits for a lap number in its LLCM and sends the number to the next rank.
type ring struct {
	port dimmnet.Port
	lap  uint64 // number of the last lap received
}

func runRing(p dimmnet.Port, laps uint64) error {
	r := &ring{port: p}
	if p.Rank() == 0 {
		r.pass(1)
	}
	if err := dimmnet.Drive(p, r, func() bool { return r.lap == 10 }); err != nil {
		return err
	}
	fmt.Println("runs")
	return dimmnet.Drive(p, r, func() bool { return r.lap == laps })
}

func (r *ring) pass(lap uint64) {
	next := (int(r.port.Rank()) + 1) % r.port.Nodes()
	r.port.Store(dimmnet.Rank(next), 0, lap, 8) // Drive reports a failed port
}

func (r *ring) Step() (bool, error) {
	if r.port.Load(0) == r.lap {
		return false, nil
	}
	r.lap++
	if r.port.Rank() == 0 {
		r.pass(r.lap + 1)
	} else {
		r.pass(r.lap)
	}
	return true, nil
}
