//go:build linux

package faults

import (
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/namespaces"
)

// trouble is a kind of fault of a campaign.
type trouble struct {
	name    string
	hosts   bool // strikes hosts: each rank is on a namespace
	streams bool // only for networks that do not need datagrams
	ends    bool // the job cannot go on, unless it ends before
	// strike strikes the job, and returns the rank that the report must name; -1: none. Without
	// strike nothing happens. An error means that the job has ended meanwhile.
	strike func(j *job, g generator) (rank int, err error)
	// prepare changes the namespaces before the job starts; nil: it does not.
	prepare func(hosts []string) error
}

const noTrouble = "nothing"

// troubles returns all kinds. Seeds draw from them, so their order matters.
func troubles() []trouble {
	all := faults()
	is := func(name string) trouble {
		f := all[slices.IndexFunc(all, func(f fault) bool { return f.name == name })]
		return trouble{name: f.of(-1), hosts: f.hosts, streams: f.datagrams(), ends: !f.goesOn, strike: func(j *job, g generator) (int, error) {
			victim := g.IntN(j.ranks)
			err := f.disturb(j, victim)
			if f.unknown || f.goesOn {
				victim = -1
			}
			return victim, err
		}}
	}
	return slices.Concat(
		[]trouble{{name: noTrouble}, is("rank # is killed"), is("rank # is stopped"), is("the launcher is killed"), is("the launcher gets SIGINT")},
		pauses(),
		[]trouble{is("host @ is unplugged"), is("host @ receives nothing"), is("host @ sends nothing"), cutOff(), is("host @ receives no datagrams")},
		badLinks())
}

// pauses are signals that a job survives.
func pauses() []trouble {
	return []trouble{
		{name: "ranks pause", strike: func(j *job, g generator) (int, error) {
			for range 1 + g.IntN(4) {
				if err := j.pause(g.Perm(j.ranks)[:1+g.IntN(j.ranks)], g.between(time.Millisecond, longestPause)); err != nil {
					return -1, err
				}
				j.sleep(g.between(time.Millisecond, 100*time.Millisecond))
			}
			return -1, nil
		}},
		{name: "a rank is slow", strike: func(j *job, g generator) (int, error) {
			rank := g.IntN(j.ranks)
			for range 100 {
				if err := j.pause([]int{rank}, g.between(time.Millisecond, 20*time.Millisecond)); err != nil {
					return -1, err
				}
				j.sleep(g.between(time.Millisecond, 5*time.Millisecond))
			}
			return -1, nil
		}},
	}
}

// pause stops ranks for a while.
func (j *job) pause(ranks []int, d time.Duration) error {
	for i, rank := range ranks {
		if err := j.signal(rank, syscall.SIGSTOP); err != nil {
			ranks = ranks[:i]
			break
		}
	}
	j.sleep(d)
	var failed error
	for _, rank := range ranks {
		if err := j.signal(rank, syscall.SIGCONT); err != nil {
			failed = err
		}
	}
	return failed
}

func cutOff() trouble {
	return trouble{name: "a host is cut off for a while", hosts: true, strike: func(j *job, g generator) (int, error) {
		rank := g.IntN(j.ranks)
		if err := j.net.Unplug(rank); err != nil {
			return -1, err
		}
		j.sleep(g.between(time.Millisecond, longestPause))
		return -1, j.net.Plug(rank)
	}}
}

// badLinks are connections between hosts that are slow or small from the start.
func badLinks() []trouble {
	// every runs ip with each line for every host, whose name is in the place of %s.
	every := func(lines ...string) func([]string) error {
		return func(hosts []string) error {
			for _, host := range hosts {
				for _, line := range lines {
					if err := namespaces.IP(fmt.Sprintf(line, host)); err != nil {
						return err
					}
				}
			}
			return nil
		}
	}
	wait := func(*job, generator) (int, error) { return -1, nil }
	return []trouble{
		{name: "links are slow and drop packets", hosts: true, strike: wait,
			prepare: every("netns exec %s tc qdisc replace dev eth0 root tbf rate 200mbit burst 10kb latency 1ms")},
		{name: "buffers are small", hosts: true, strike: wait, prepare: every(
			"netns exec %s sysctl -qw net.ipv4.tcp_rmem=4096\t4096\t4096", "netns exec %s sysctl -qw net.ipv4.tcp_wmem=4096\t4096\t4096")},
		{name: "packets are small", hosts: true, streams: true, strike: wait, prepare: every("-n %s link set eth0 mtu 600")},
	}
}
