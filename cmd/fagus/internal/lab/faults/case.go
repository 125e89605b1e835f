//go:build linux

package faults

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

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
