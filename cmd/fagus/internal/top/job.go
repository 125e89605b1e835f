package top

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/metrics"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// named is what the words of a command line name: addresses, or a job of this user that has a
// process on this host.
type named struct {
	addrs []target
	job   string // if there are no addresses: a program, a job, or a process; "" is the only job
}

const mostTargets = 4096 // as fagus launch starts at most

// read returns what the words name.
func read(words []string) (n named, err error) {
	if len(words) == 0 {
		return n, nil
	}
	if len(words) == 1 && !strings.Contains(words[0], ":") {
		return named{job: words[0]}, nil
	}
	for _, word := range words {
		some, err := addresses(word)
		if err != nil {
			return n, err
		}
		if n.addrs = append(n.addrs, some...); len(n.addrs) > mostTargets {
			return n, usage.Errorf("%s: these are more than %d addresses", word, mostTargets)
		}
	}
	return n, nil
}

// addresses returns the processes that a word names: HOST:PORT, or HOST:FIRST-LAST.
func addresses(word string) (all []target, err error) {
	if _, _, err := net.SplitHostPort(word); err != nil {
		return nil, usage.Errorf("%s: want HOST:PORT, as --metrics has printed it, or the name of one job", word)
	}
	colon := strings.LastIndexByte(word, ':')
	from, to, several := strings.Cut(word[colon+1:], "-")
	if !several {
		return []target{{name: word}}, nil
	}
	first, err := strconv.ParseUint(from, 10, 16)
	last, err2 := strconv.ParseUint(to, 10, 16)
	if err != nil || err2 != nil || first > last {
		return nil, usage.Errorf("%s: want two ports, as in 127.0.0.1:9100-9103", word)
	}
	for port := first; port <= last; port++ {
		all = append(all, target{name: fmt.Sprintf("%s:%d", word[:colon], port)})
	}
	return all, nil
}

// processes returns the processes on this host of the one job that n names.
func (n named) processes(ctx context.Context) ([]metrics.Process, error) {
	all, err := metrics.Processes(ctx)
	if err != nil {
		return nil, err
	}
	return n.only(all)
}

// only returns the processes of the one job that n names.
func (n named) only(all []metrics.Process) ([]metrics.Process, error) {
	jobs := make(map[string][]metrics.Process)
	for _, p := range all {
		if n.names(p) {
			jobs[jobOf(p)] = append(jobs[jobOf(p)], p)
		}
	}
	if len(jobs) == 1 {
		for _, found := range jobs {
			return whole(all, found[0]), nil
		}
	}
	here := " (the processes of your jobs on this host are found if they have --metrics)"
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("%w%s", errNoJob, here)
	case len(jobs) == 0:
		return nil, fmt.Errorf("%w is called %s%s; there are:\n%s", errNoJob, base.Printable(n.job), here, list(all))
	}
	return nil, usage.Errorf("several jobs are running%s: name one by its job or a process:\n%s", here, list(slices.Concat(slices.Collect(maps.Values(jobs))...)))
}

// names reports whether n names the job of a process: by its program, its name, the process, or its
// launcher.
func (n named) names(p metrics.Process) bool {
	return slices.Contains([]string{"", p.Program, p.Job, fmt.Sprint(p.PID)}, n.job) || p.Job != "" && n.job == fmt.Sprint(p.Parent)
}

var errNoJob = errors.New("no job")

// jobOf identifies the job of a process.
func jobOf(p metrics.Process) string {
	if p.Job != "" {
		return p.Job
	}
	return fmt.Sprint(p.PID)
}

// whole returns the processes of a job: a word may name one of them.
func whole(all []metrics.Process, of metrics.Process) []metrics.Process {
	return slices.DeleteFunc(slices.Clone(all), func(p metrics.Process) bool { return jobOf(p) != jobOf(of) })
}

// list returns a line for each job.
func list(all []metrics.Process) string {
	of := make(map[string][]metrics.Process)
	for _, p := range all {
		of[jobOf(p)] = append(of[jobOf(p)], p)
	}
	var lines []string
	for _, job := range slices.Sorted(maps.Keys(of)) {
		p := of[job][0]
		lines = append(lines, fmt.Sprintf("  %s, job %s: %d here, the first is process %d", base.Printable(p.Program), base.Printable(job), len(of[job]), p.PID))
	}
	return strings.Join(lines, "\n")
}

func atSockets(processes []metrics.Process) (all []target) {
	for _, p := range processes {
		all = append(all, target{name: fmt.Sprintf("process %d", p.PID), socket: p.Socket})
	}
	return all
}

// look returns what the job's ranks do. Of a job that is named, one process asks the others, and
// the command asks them only if that finds less.
func (n named) look(ctx context.Context) (*metrics.Document, error) {
	if n.addrs != nil {
		return fetch(ctx, n.addrs)
	}
	here, err := n.processes(ctx)
	if err != nil {
		return nil, err
	}
	d, err := fetch(ctx, atSockets(here[:1]))
	if len(here) > 1 && (err != nil || len(d.Ranks) < d.Nodes) {
		return fetch(ctx, atSockets(here))
	}
	return d, err
}

// everywhere returns all processes of the job, and those ranks whose process cannot be asked from
// here.
func (n named) everywhere(ctx context.Context) (all []target, missing []string, err error) {
	if n.addrs != nil {
		return n.addrs, nil, nil
	}
	here, err := n.processes(ctx)
	if err != nil {
		return nil, nil, err
	}
	all = atSockets(here)
	known := make(map[int]bool)
	for _, p := range here {
		for _, r := range p.Ranks {
			known[r] = true
		}
	}
	d, err := n.look(ctx)
	if err != nil {
		return nil, nil, err
	}
	of := make(map[string]bool)
	for _, r := range d.Ranks {
		switch {
		case known[r.Rank] || of[r.Address]:
		case local(r.Address):
			missing = append(missing, fmt.Sprintf("rank %d on another host serves metrics at %s, which is not reached from here", r.Rank, base.Printable(r.Address)))
		default:
			of[r.Address] = true
			all = append(all, target{name: r.Address})
		}
		known[r.Rank] = true
	}
	for r := range d.Nodes {
		if !known[r] {
			missing = append(missing, fmt.Sprintf("rank %d does not answer, or has no --metrics", r))
		}
	}
	return all, missing, nil
}

// local reports whether an address is one for processes of its own host only.
func local(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err != nil || host == "localhost" || ip != nil && ip.IsLoopback()
}
