package contest

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Role is the part of a version in the paper's comparison.
type Role string

// The roles. A version that is not in the paper has no role.
const (
	RolePhase    Role = "phase"    // D1-Fagus2
	RoleThreaded Role = "threaded" // D1-Fagus, whose receiver sleeps until the TCP notice
	RolePolling  Role = "polling"  // D1-Fagus, whose receiver polls
)

// Version is a version of Fagus: a mode with a transfer, for all networks or only one.
type Version struct {
	Name  string
	About string
	Role  Role

	set func(*runflags.Config) // changes a configuration to that of the version
	// unfit returns why the version cannot run so, or "". nil means "" for all.
	unfit func(entry) string
}

// entry is what a version is asked to run with.
type entry struct {
	*runflags.Config
	apart bool // as processes of their own
}

// Config returns cfg with the changes of the version.
func (v *Version) Config(cfg runflags.Config) runflags.Config {
	v.set(&cfg)
	return cfg
}

// Notices reports whether the receive threads sleep until a notice arrives.
func (v *Version) Notices() bool { return v.Config(runflags.Config{}).Notices }

// Direct reports whether ranks take free variables without a message.
func (v *Version) Direct() bool { return v.Config(runflags.Config{}).Direct }

// versions returns all versions in the order of display.
func versions() []Version {
	return []Version{
		{"D1-Fagus2", "compute and communication phases, data in slots of the LLCM", RolePhase,
			setPhase, nil},
		{"D1-Fagus2 PUSH", "the same, data from bulk memory to bulk memory", "",
			func(c *runflags.Config) { c.Mode, c.Transfer, c.Lists = fagus.Phase, fagus.Push, fagus.ListsAll }, withoutPush},
		{"D1-Fagus", "helper threads; the receive thread sleeps until a notice; a rank takes a free variable in the LLCM of its owner", RoleThreaded,
			func(c *runflags.Config) {
				c.Mode, c.Transfer, c.Lists, c.Notices, c.Direct = fagus.Threaded, fagus.Rings, fagus.ListsAll, true, true
			}, nil},
		{"D1-Fagus polling", "the same without notices: the receive thread polls", RolePolling,
			func(c *runflags.Config) {
				c.Mode, c.Transfer, c.Lists, c.Direct, c.Poll = fagus.Threaded, fagus.Rings, fagus.ListsAll, true, true
			}, tooManyPoll},
		{"D1-Fagus requests", "D1-Fagus with a request for every variable, of which Update has 16 under way", "",
			func(c *runflags.Config) {
				c.Mode, c.Transfer, c.Lists, c.Notices = fagus.Threaded, fagus.Rings, fagus.ListsAll, true
			}, nil},
		{"phases on one copy", "phases; all ranks share one copy of the arrays", "",
			func(c *runflags.Config) { c.Mode, c.Transfer, c.Placement = fagus.Phase, fagus.Auto, fagus.PlaceShared }, withoutMemory},
		{"locks on one copy", "variables are locks in the memory that the ranks share, without helper threads", "",
			func(c *runflags.Config) {
				c.Mode, c.Transfer, c.Placement = fagus.Threaded, fagus.Auto, fagus.PlaceShared
			}, withoutMemory},
		{"UDP-Fagus", "the same on UDP over 100BASE-TX, where an arriving datagram interrupts", "",
			func(c *runflags.Config) {
				c.Mode, c.Transfer, c.Lists, c.Network = fagus.Threaded, fagus.Rings, fagus.ListsAll, runflags.Named(runflags.UDP100)[0]
			}, notSimulated},
	}
}

// setPhase sets phase mode. Processes choose the transfer, because not all have PUSH.
func setPhase(c *runflags.Config) {
	c.Mode, c.Transfer = fagus.Phase, fagus.Rings
	if c.Network.Processes {
		c.Transfer = fagus.Auto
	}
}

func withoutPush(e entry) string {
	if e.Network.Processes {
		return "processes choose their transfer themselves"
	}
	return ""
}

// withoutMemory rejects networks whose ranks are not processes that share memory.
func withoutMemory(e entry) string {
	if !e.Network.OneMemory || !e.Network.Processes {
		return fmt.Sprintf("it needs processes that share memory: use --net %v", runflags.SHM)
	}
	return ""
}

// tooManyPoll rejects runs with more polling threads than processors: such runs take hours. Other
// programs have no flag that makes threads poll on real cores.
func tooManyPoll(e entry) string {
	switch n := runtime.NumCPU(); {
	case e.Network.Simulated:
		return ""
	case e.apart:
		return "the threads of a program of one's own poll on a simulated network alone"
	case e.Nodes > n:
		return fmt.Sprintf("its %d polling threads would share %d processors", e.Nodes, n)
	}
	return ""
}

func notSimulated(e entry) string {
	if !e.Network.Simulated {
		return "it runs in a simulated network"
	}
	return ""
}

func names(list []Version) string {
	return strings.Join(base.Map(list, func(v Version) string { return v.Name }), ",")
}

// pick returns the versions named in wanted; "" means every version that can run so.
func pick(all []Version, wanted string, on entry) (picked []Version, err error) {
	for _, v := range all {
		if wanted == "" && (v.unfit == nil || v.unfit(on) == "") {
			picked = append(picked, v)
		}
	}
	if wanted == "" {
		return picked, nil
	}
	for name := range strings.SplitSeq(wanted, ",") {
		name = strings.TrimSpace(name)
		same := func(v Version) bool { return v.Name == name }
		i := slices.IndexFunc(all, same)
		if i < 0 || slices.ContainsFunc(picked, same) {
			return nil, usage.Errorf("--versions %q: want some of %s, each once", wanted, names(all))
		}
		if all[i].unfit != nil {
			if why := all[i].unfit(on); why != "" {
				return nil, usage.Errorf("--versions %q: cannot run with --net %s: %s", name, on.Network.Name, why)
			}
		}
		picked = append(picked, all[i])
	}
	return picked, nil
}
