//go:build linux

package faults

import (
	"fmt"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/namespaces"
)

const (
	ranks  = 4
	victim = 2 // the rank that most faults strike; hosts have one rank each

	// pause is shorter than the silence that stall forgives.
	pause = 800 * time.Millisecond
	stall = 1600 * time.Millisecond
	// calm is how long a job that goes on is watched.
	calm = 2 * stall
)

// fault is one way to disturb a job.
type fault struct {
	name    string
	hosts   bool // strikes a host: the ranks are on namespaces
	disturb func(j *job) error
	rank    int  // the rank that the report must name; -1: none
	goesOn  bool // the job goes on, and no rank is accused
	silent  bool // the launcher is killed and can report nothing
}

func faults() []fault {
	rank := func(n int, s syscall.Signal) func(*job) error {
		return func(j *job) error { return j.signal(n, s) }
	}
	launcher := func(s syscall.Signal) func(*job) error {
		return func(j *job) error { return j.cmd.Process.Signal(s) }
	}
	hosts := func(line string) func(*job) error {
		return func(j *job) error { return namespaces.IP(fmt.Sprintf(line, j.net.Hosts[victim])) }
	}
	drop := func(which string) func(*job) error {
		return func(j *job) error { return j.net.Drop(victim, which) }
	}
	return []fault{
		{name: "rank 2 is killed", rank: 2, disturb: rank(2, syscall.SIGKILL)},
		{name: "rank 0 is killed", rank: 0, disturb: rank(0, syscall.SIGKILL)},
		{name: "rank 2 is stopped", rank: 2, disturb: rank(2, syscall.SIGSTOP)},
		{name: "rank 0 is stopped", rank: 0, disturb: rank(0, syscall.SIGSTOP)},
		{name: "rank 2 gets SIGTERM", rank: 2, disturb: rank(2, syscall.SIGTERM)},
		{name: "rank 2 aborts", rank: 2, disturb: rank(2, syscall.SIGABRT)},
		{name: "rank 2 pauses for 0.8 s", goesOn: true, disturb: func(j *job) error {
			if err := j.signal(2, syscall.SIGSTOP); err != nil {
				return err
			}
			time.Sleep(pause)
			return j.signal(2, syscall.SIGCONT)
		}},
		{name: "all ranks pause for 2 s", goesOn: true, disturb: func(j *job) error {
			for rank := range ranks {
				if err := j.signal(rank, syscall.SIGSTOP); err != nil {
					return err
				}
			}
			time.Sleep(2 * time.Second)
			for rank := range ranks {
				if err := j.signal(rank, syscall.SIGCONT); err != nil {
					return err
				}
			}
			return nil
		}},
		{name: "the launcher gets SIGINT", rank: -1, disturb: launcher(syscall.SIGINT)},
		{name: "the launcher gets SIGTERM", rank: -1, disturb: launcher(syscall.SIGTERM)},
		{name: "the launcher gets SIGHUP", rank: -1, disturb: launcher(syscall.SIGHUP)},
		{name: "the launcher is killed", rank: -1, silent: true, disturb: launcher(syscall.SIGKILL)},

		{name: "a host is cut off", hosts: true, rank: victim, disturb: hosts("-n %s link set eth0 down")},
		{name: "a host receives nothing", hosts: true, rank: victim, disturb: drop("")},
		{name: "a host receives no datagrams", hosts: true, goesOn: true, disturb: drop("ipproto udp")},
		{name: "a host is cut off for 0.8 s", hosts: true, goesOn: true, disturb: func(j *job) error {
			if err := hosts("-n %s link set eth0 down")(j); err != nil {
				return err
			}
			time.Sleep(pause)
			return hosts("-n %s link set eth0 up")(j)
		}},
		{name: "rank 2 on a host is killed", hosts: true, rank: 2, disturb: rank(2, syscall.SIGKILL)},
		{name: "rank 0 on a host is killed", hosts: true, rank: 0, disturb: rank(0, syscall.SIGKILL)},
		{name: "rank 2 on a host is stopped", hosts: true, rank: 2, disturb: rank(2, syscall.SIGSTOP)},
		{name: "the launcher of hosts is killed", hosts: true, rank: -1, silent: true, disturb: launcher(syscall.SIGKILL)},
	}
}
