//go:build linux

package faults

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/namespaces"
)

const (
	ranks = 4
	usual = 2 // the rank that faults strike; some strike rank 0, too. Hosts have one rank each.

	// pause is shorter than the silence that stall forgives.
	pause = 800 * time.Millisecond
	stall = 1600 * time.Millisecond
	// calm is how long a job that goes on is watched.
	calm = 2 * stall
)

// fault is one way to disturb a job.
type fault struct {
	// name has "rank #" for the victim, or "host @" for its host.
	name    string
	hosts   bool // strikes a host: the ranks are on namespaces
	disturb func(j *job, victim int) error
	unknown bool // the report need not name the victim
	goesOn  bool // the job goes on, and no rank is accused
	silent  bool // the launcher is killed and can report nothing
	told    bool // no attempt follows: the launcher is told to end, or the exit code is a decision
	alone   bool // there is no other victim than rank 2
	// restart is of jobs that restart only: the report of a job that does not is like that of
	// others.
	restart bool
}

// of returns the name of the fault with rank victim, or with any if victim is negative.
func (f *fault) of(victim int) string {
	rank, host := fmt.Sprintf("rank %d", victim), "a host"
	switch {
	case victim < 0:
		rank = "a rank"
	case victim != usual:
		host = fmt.Sprintf("the host of rank %d", victim)
	}
	return strings.NewReplacer("rank #", rank, "host @", host).Replace(f.name)
}

// victims returns the ranks that a table strikes.
func (f *fault) victims() []int {
	if f.alone {
		return []int{usual}
	}
	return []int{usual, 0}
}

// datagrams reports whether the fault stops datagrams, without which quic can do nothing.
func (f *fault) datagrams() bool { return strings.Contains(f.name, "datagrams") }

// dies reports whether the job cannot go on without a restart.
func (f *fault) dies() bool { return !f.goesOn && !f.silent && !f.told }

func faults() []fault { return slices.Concat(rankFaults(), launcherFaults(), hostFaults()) }

// rankGets returns a function that sends signals to the victim, each after a time.
func rankGets(signals ...syscall.Signal) func(*job, int) error {
	return func(j *job, victim int) error {
		for i, s := range signals {
			if i > 0 {
				time.Sleep(pause)
			}
			if err := j.signal(victim, s); err != nil {
				return err
			}
		}
		return nil
	}
}

func rankFaults() []fault {
	return []fault{
		{name: "rank # is killed", disturb: rankGets(syscall.SIGKILL)},
		{name: "rank # is stopped", disturb: rankGets(syscall.SIGSTOP)},
		{name: "rank # gets SIGTERM", disturb: rankGets(syscall.SIGTERM)},
		// Go's run-time ends with code 2 after SIGABRT, as after a panic.
		{name: "rank # aborts", told: true, disturb: rankGets(syscall.SIGABRT)},
		{name: "rank # is stopped, and goes on when it is given up", restart: true, disturb: func(j *job, victim int) error {
			if err := j.signal(victim, syscall.SIGSTOP); err != nil {
				return err
			}
			pid := j.pid(victim)
			j.awaitLine(endTime)
			_ = syscall.Kill(pid, syscall.SIGCONT) // it may have been killed
			return nil
		}},
		{name: "rank # pauses for 0.8 s", alone: true, goesOn: true, disturb: rankGets(syscall.SIGSTOP, syscall.SIGCONT)},
		{name: "all ranks pause for 2 s", alone: true, goesOn: true, disturb: func(j *job, _ int) error {
			all := make([]int, ranks)
			for rank := range all {
				all[rank] = rank
			}
			return j.pause(all, 2*time.Second)
		}},
	}
}

func launcherFaults() []fault {
	launcher := func(s syscall.Signal) func(*job, int) error {
		return func(j *job, _ int) error { return j.cmd.Process.Signal(s) }
	}
	return []fault{
		{name: "the launcher gets SIGINT", alone: true, unknown: true, told: true, disturb: launcher(syscall.SIGINT)},
		{name: "the launcher gets SIGTERM", alone: true, unknown: true, told: true, disturb: launcher(syscall.SIGTERM)},
		{name: "the launcher gets SIGHUP", alone: true, unknown: true, told: true, disturb: launcher(syscall.SIGHUP)},
		{name: "the launcher is killed", alone: true, unknown: true, silent: true, disturb: launcher(syscall.SIGKILL)},
		{name: "the launcher of hosts is killed", alone: true, hosts: true, unknown: true, silent: true, disturb: launcher(syscall.SIGKILL)},
	}
}

// hostFaults are those of ranks on namespaces that stand for hosts.
func hostFaults() []fault {
	link := func(state string) func(*job, int) error {
		return func(j *job, victim int) error {
			return namespaces.IP(fmt.Sprintf("-n %s link set eth0 %s", j.net.Hosts[victim], state))
		}
	}
	drop := func(which string) func(*job, int) error {
		return func(j *job, victim int) error { return j.net.Drop(victim, which) }
	}
	// agent sends a signal to the agent that has started the victim, all to all processes there.
	agent := func(s syscall.Signal, all bool) func(*job, int) error {
		return func(j *job, victim int) error { return j.signalHost(victim, s, all) }
	}
	return []fault{
		{name: "host @ is cut off", hosts: true, disturb: link("down")},
		{name: "host @ is unplugged", hosts: true, disturb: func(j *job, victim int) error { return j.net.Unplug(victim) }},
		{name: "host @ receives nothing", hosts: true, disturb: drop("")},
		{name: "host @ sends nothing", hosts: true, disturb: func(j *job, victim int) error { return j.mute(victim) }},
		{name: "host @ is cut off from another", hosts: true, unknown: true, disturb: func(j *job, victim int) error {
			other := (victim + 1) % ranks
			return errors.Join(j.net.Drop(victim, "from "+namespaces.Address(other)), j.net.Drop(other, "from "+namespaces.Address(victim)))
		}},
		{name: "host @ refuses what comes", hosts: true, disturb: func(j *job, victim int) error { return j.net.Refuse(victim) }},
		{name: "host @ is killed", hosts: true, unknown: true, disturb: agent(syscall.SIGKILL, true)},
		{name: "host @ is stopped", hosts: true, unknown: true, disturb: agent(syscall.SIGSTOP, true)},
		{name: "the agent of host @ is killed", hosts: true, unknown: true, disturb: agent(syscall.SIGKILL, false)},
		{name: "the agent of host @ is stopped", hosts: true, unknown: true, disturb: agent(syscall.SIGSTOP, false)},
		{name: "rank # on a host is killed", hosts: true, disturb: rankGets(syscall.SIGKILL)},
		{name: "rank # on a host is stopped", hosts: true, disturb: rankGets(syscall.SIGSTOP)},
		{name: "host @ receives no datagrams", alone: true, hosts: true, goesOn: true, disturb: drop("ipproto udp")},
		{name: "host @ is cut off for 0.8 s", alone: true, hosts: true, goesOn: true, disturb: func(j *job, victim int) error {
			if err := link("down")(j, victim); err != nil {
				return err
			}
			time.Sleep(pause)
			return link("up")(j, victim)
		}},
	}
}
