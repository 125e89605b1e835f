package main

import (
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
}

// versions are all there are, in the order in which they are shown.
func versions() []version {
	return []version{
		{"D1-Fagus2", "compute and communication phases, data in slots of the LLCM", rolePhase,
			func(p *placement) { p.mode, p.by = fagus.Phase, fagus.Rings }},
		{"D1-Fagus2 PUSH", "the same, data from bulk memory to bulk memory", "",
			func(p *placement) { p.mode, p.by = fagus.Phase, fagus.Push }},
		{"D1-Fagus", "helper threads, of which one receives when it is told by a notice", roleThreaded,
			func(p *placement) { p.mode, p.by, p.notices = fagus.Threaded, fagus.Rings, true }},
		{"D1-Fagus polling", "the same without notices: the receive thread polls", rolePolling,
			func(p *placement) { p.mode, p.by, p.notices = fagus.Threaded, fagus.Rings, false }},
	}
}

// versionNames has commas between.
func versionNames(list []version) string {
	var names []string
	for _, v := range list {
		names = append(names, v.name)
	}
	return strings.Join(names, ",")
}

// pickVersions finds versions by a list of names; "" stands for all.
func pickVersions(all []version, names string) (picked []version, err error) {
	if names == "" {
		return all, nil
	}
	seen := make(map[string]bool)
	for _, name := range strings.Split(names, ",") {
		name = strings.TrimSpace(name)
		found := false
		for _, v := range all {
			if v.name == name && !seen[name] {
				picked, found = append(picked, v), true
			}
		}
		if !found {
			return nil, usagef("--versions %q: want some of %s, each once", names, versionNames(all))
		}
		seen[name] = true
	}
	return picked, nil
}
