package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/fagus"
)

// role is what a version stands for in the paper's comparison.
type role string

// The roles. A version that the paper does not have plays none.
const (
	rolePhase    role = "phase"    // D1-Fagus2
	roleThreaded role = "threaded" // D1-Fagus, whose receiver sleeps until the TCP notice
	rolePolling  role = "polling"  // D1-Fagus, whose receiver polls
)

// version is one of the things that are compared.
type version struct {
	name  string
	about string
	role  role
	set   func(*placement) // changes where and how the program runs
	// lacks says why a contest at a place goes without it; nil: none does.
	lacks func(*placement) string
}

// notices is whether receive threads sleep until one comes.
func (v *version) notices() bool {
	var p placement
	v.set(&p)
	return p.notices
}

// versions are all there are, in the order in which they are shown.
func versions() []version {
	return []version{
		{"D1-Fagus2", "compute and communication phases, data in slots of the LLCM", rolePhase,
			func(p *placement) { p.mode, p.by = fagus.Phase, fagus.Rings }, nil},
		{"D1-Fagus2 PUSH", "the same, data from bulk memory to bulk memory", "",
			func(p *placement) { p.mode, p.by = fagus.Phase, fagus.Push }, nil},
		{"D1-Fagus", "helper threads, of which one receives when it is told by a notice", roleThreaded,
			func(p *placement) { p.mode, p.by, p.notices = fagus.Threaded, fagus.Rings, true }, nil},
		{"D1-Fagus polling", "the same without notices: the receive thread polls", rolePolling,
			func(p *placement) { p.mode, p.by, p.poll = fagus.Threaded, fagus.Rings, true }, tooManyPoll},
		{"UDP-Fagus", "the same on UDP over 100BASE-TX, where what arrives interrupts", "",
			func(p *placement) { p.mode, p.by, p.net = fagus.Threaded, fagus.Rings, netUDP100 }, notSimulated},
	}
}

// tooManyPoll: threads that poll without end for each other's processors take hours.
func tooManyPoll(p *placement) string {
	if n := runtime.NumCPU(); p.net == netInproc && p.nodes > n {
		return fmt.Sprintf("its %d threads that poll would share %d processors", p.nodes, n)
	}
	return ""
}

func notSimulated(p *placement) string {
	if p.net == netInproc {
		return "it runs in a simulated network"
	}
	return ""
}

// versionNames has commas between.
func versionNames(list []version) string {
	var names []string
	for _, v := range list {
		names = append(names, v.name)
	}
	return strings.Join(names, ",")
}

// pickVersions finds versions by a list of names; "" stands for all that a place does
// not lack.
func pickVersions(all []version, names string, p *placement) (picked []version, err error) {
	for _, v := range all {
		if names == "" && (v.lacks == nil || v.lacks(p) == "") {
			picked = append(picked, v)
		}
	}
	if names == "" {
		return picked, nil
	}
	for _, name := range strings.Split(names, ",") {
		name = strings.TrimSpace(name)
		same := func(v version) bool { return v.name == name }
		i := slices.IndexFunc(all, same)
		if i < 0 || slices.ContainsFunc(picked, same) {
			return nil, usagef("--versions %q: want some of %s, each once", names, versionNames(all))
		}
		if all[i].lacks != nil {
			if why := all[i].lacks(p); why != "" {
				return nil, usagef("--versions %q: not with --net %s: %s", name, p.net, why)
			}
		}
		picked = append(picked, all[i])
	}
	return picked, nil
}
