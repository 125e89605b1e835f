//go:build linux

package faults

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/namespaces"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

const (
	mostRanks  = 10
	mostHosts  = 4
	mostRounds = 1000
	// manyRanks is the number of ranks from which live networks use trees, and tcp connects on
	// demand; moreRanks is the most that a case has.
	manyRanks = 13
	moreRanks = 20
	// manyRounds bounds the rounds of so many ranks. TCP takes 0.2 s to send a lost packet again.
	// A round of 20 ranks has 25 phases, and where links drop packets, most phases lose one.
	manyRounds = 8
	// patience is how long the silence of a process is forgiven in a campaign. It is more than the
	// longest pause, of which a busy machine can make twice as much.
	patience = 4 * time.Second
	// longestPause is how long a fault that a job survives lasts.
	longestPause = time.Second
	// strikeTime is how long after its start a job is struck at the latest.
	strikeTime = 1500 * time.Millisecond
)

// randomCase is a job of a campaign: a random program, a configuration and a fault.
type randomCase struct {
	seed    uint64
	network string
	ranks   int
	args    []string // of fagus
	env     []string
	trouble trouble
	delay   time.Duration // from the start of the job to the fault
}

type generator struct{ *rand.Rand }

// between returns a time from lo to hi with a uniformly distributed logarithm.
func (g generator) between(lo, hi time.Duration) time.Duration {
	return time.Duration(float64(lo) * math.Pow(float64(hi)/float64(lo), g.Float64()))
}

// pick returns one of several values.
func pick[T any](g generator, from ...T) T { return from[g.IntN(len(from))] }

// newCase returns the case of a seed, on one of nets, with one of troubles, and with one of the
// methods of write detection.
func newCase(seed uint64, nets []runflags.Network, troubles []trouble, detections []string) randomCase {
	g := generator{rand.New(rand.NewPCG(seed, 1))}
	c := randomCase{seed: seed, ranks: 2 + min(g.IntN(mostRanks-1), g.IntN(mostRanks-1))}
	c.delay = g.between(time.Millisecond, strikeTime)
	work := int(g.between(5, mostRounds))
	mode, placement, history := pick(g, "phase", "threaded"), pick(g, "private", "auto", "auto", "shared"), g.IntN(3) == 0
	transfer, detection := pick(g, "auto", "rings"), pick(g, detections...)
	net := pick(g, nets...)
	c.network = net.Name
	if placement == "shared" && (!net.OneMemory || history || detection == fagus.DetectKernel.String()) {
		placement = "private"
	}
	// Its own stream: other draws stay what they were.
	own := generator{rand.New(rand.NewPCG(seed, 2))}
	var lists []string
	if mode == "phase" && own.IntN(2) == 0 {
		lists = append(lists, "--cycle", strconv.Itoa(1+own.IntN(4)))
	}
	if mode == "threaded" || transfer == "auto" { // with rings, lists go to all
		lists = append(lists, "--lists", pick(own, "auto", "all", "tree", "tree"))
	}
	many := own.IntN(6) == 0
	if many {
		c.ranks = manyRanks + own.IntN(moreRanks-manyRanks+1)
	}
	rounds := 1 + work/c.ranks // a round of many ranks takes longer than one of few
	if many {
		rounds = min(rounds, manyRounds)
	}
	c.args = []string{"run", "random", "--json", "--seed", strconv.FormatUint(seed, 10), "--rounds", strconv.Itoa(rounds),
		"--mode", mode, "--placement", placement, "--transfer", transfer}
	if history {
		c.args = append(c.args, "--verify-history")
	}
	c.args = append(c.args, lists...)
	c.env = []string{"FAGUS_STALL=" + patience.String(), "FAGUS_WRITE_DETECTION=" + detection}
	var able []trouble
	for _, t := range troubles {
		if net.Processes && (!t.hosts || net.Hosts) && (!t.streams || net.Name != runflags.QUIC) || t.strike == nil {
			able = append(able, t)
		}
	}
	if c.trouble = pick(g, able...); c.trouble.hosts {
		if !many {
			c.ranks = min(c.ranks, mostHosts)
		}
		if g.IntN(3) == 0 {
			c.args = append(c.args, "--insecure") // tcp without TLS
		}
	}
	return c
}

// String describes the case in one line.
func (c *randomCase) String() string {
	return fmt.Sprintf("seed %d: %s, %d ranks, %s %s; %s after %v", c.seed, c.network, c.ranks, strings.Join(c.args[5:], " "), c.env[1], c.trouble.name, c.delay.Round(time.Millisecond))
}

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

// outcome is what has become of a case.
type outcome struct {
	right    bool   // the job has ended with a verified result
	wrong    string // what is wrong; "" if nothing is
	hung     bool
	left     int
	contents int      // compared with the model
	lines    []string // of standard error
}

// run runs the job of a case and strikes it. A job that runs after limit hangs; its
// lines then tell what its ranks do. An error means that the case could not be tried.
func (c *randomCase) run(ctx context.Context, number int, limit time.Duration) (outcome, error) {
	g := generator{rand.New(rand.NewPCG(c.seed, 2))}
	one := spec{args: c.args, network: c.network, ranks: c.ranks, number: number, env: c.env, prepare: c.trouble.prepare}
	if c.trouble.hosts {
		one.hosts = c.ranks
	}
	var o outcome
	left, err := one.run(ctx, func(j *job) error {
		over := time.After(limit)
		blows := make(chan blow, 1)
		select {
		case <-j.ended:
			blows <- blow{rank: -1}
		case <-time.After(c.delay):
			go func() { blows <- c.strike(j, g) }() // it may take longer than limit
		}
		select {
		case <-j.ended:
		case <-over:
			o.hung = true
			j.rollCall()
		case <-ctx.Done():
		}
		struck := <-blows
		o.lines = j.output()
		if o.hung {
			o.wrong = fmt.Sprintf("the job runs after %v", limit)
		} else if ctx.Err() == nil {
			o.judge(c, j, struck)
		}
		return nil
	})
	o.left, o.wrong = left, cmp.Or(o.wrong, leftText(left))
	return o, err
}

// blow is what a strike has done.
type blow struct {
	struck bool
	rank   int // that the report must name; -1: none
}

// strike strikes the job of a case.
func (c *randomCase) strike(j *job, g generator) blow {
	if c.trouble.strike == nil {
		return blow{rank: -1}
	}
	rank, err := c.trouble.strike(j, g)
	if c.trouble.hosts && c.ranks == 2 {
		rank = -1 // neither hears anything from the other, so either may be named
	}
	return blow{err == nil, rank}
}

// judge fills in what is right and wrong with a job that has ended.
func (o *outcome) judge(c *randomCase, j *job, b blow) {
	text := strings.Join(o.lines, "\n")
	exit := j.cmd.ProcessState.ExitCode()
	for _, bad := range []string{"panic", "wrong", "verification failed", "history: A", "SIGSEGV", "goroutine "} {
		if strings.Contains(text, bad) {
			o.wrong = "the job reports: " + bad
			return
		}
	}
	if exit == 0 {
		report, err := experiment.Read(j.out.Bytes())
		if err == nil {
			_, err = fmt.Sscanf(report.Outcome, "%d contents", &o.contents)
		}
		if err != nil || !report.Verified {
			o.wrong = fmt.Sprintf("exit code 0, but the report is %q (%v)", j.out.Bytes(), err)
		}
		o.right = o.wrong == ""
		return
	}
	last := ""
	if len(o.lines) > 0 {
		last = o.lines[len(o.lines)-1]
	}
	switch {
	case !c.trouble.ends || !b.struck:
		o.wrong = fmt.Sprintf("exit code %d, though nothing ends the job", exit)
	case last == "" && exit > 0:
		o.wrong = fmt.Sprintf("exit code %d, and nothing is reported", exit)
	case b.rank >= 0 && !strings.Contains(last, fmt.Sprintf("rank %d", b.rank)) && !slices.ContainsFunc(o.lines, missing(b.rank)):
		o.wrong = fmt.Sprintf("the report does not name rank %d", b.rank)
	}
}

// missing returns a function that reports whether a line says that ranks which wait for all to come
// have not met a rank. Such lines come from all ranks at once, so any of them may be the last.
func missing(rank int) func(line string) bool {
	absent := regexp.MustCompile(`these (?:did|had) not: ([-, \d]+)`)
	named := regexp.MustCompile(fmt.Sprintf(`connecting to rank %[1]d:|the lowest is rank %[1]d:|cannot reach rank %[1]d of`, rank))
	return func(line string) bool {
		list := "" // such as 1-3, 5
		if found := absent.FindStringSubmatch(line); found != nil {
			list = found[1]
		}
		for part := range strings.SplitSeq(list, ", ") {
			var from, to int
			switch n, _ := fmt.Sscanf(part, "%d-%d", &from, &to); {
			case n == 1 && from == rank, n == 2 && from <= rank && rank <= to:
				return true
			}
		}
		return named.MatchString(line)
	}
}
