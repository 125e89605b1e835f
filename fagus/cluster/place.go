package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Place is a process's place in a job.
type Place struct {
	Rank, Size           int
	LocalRank, LocalSize int    // among the ranks of this host; -1 and 0 where unknown
	Job                  string // all processes of the job have this name, and those of no other
	Rendezvous           string // where its processes meet; empty: nobody has said it
	Source               string // the variable that the rank comes from
	Epoch                int    // which start of the job this is: ranks of an earlier one are refused
}

// ErrNoJob is the error of FromEnv for a process that no launcher has started. It may go on
// alone.
var ErrNoJob = errors.New("cluster: no launcher has set a rank")

const (
	fagusRank       = "FAGUS_RANK"
	fagusSize       = "FAGUS_SIZE"
	fagusJob        = "FAGUS_JOB"
	fagusRendezvous = "FAGUS_RENDEZVOUS"
	fagusEpoch      = "FAGUS_EPOCH"
	unixPrefix      = "unix:" // of a rendezvous on one host
)

// FromEnv finds the place of this process in what its launcher has set; lookup is
// os.LookupEnv. An empty variable counts as not set. The package comment lists the
// launchers, the first of which counts. ErrNoJob says that there is none; any other
// error names the variables that are missing, malformed or contradict each other.
func FromEnv(lookup func(string) (string, bool)) (Place, error) {
	env := environment{lookup}
	found, err := env.launched()
	if err != nil {
		return Place{}, err
	}
	if len(found) == 0 {
		return Place{}, env.alone()
	}
	first := found[0]
	if err := env.contradiction(found); err != nil {
		return Place{}, err
	}
	p := Place{Rank: first.rank, Size: first.size, Source: first.launcher.rank, Rendezvous: env.get(fagusRendezvous)}
	if p.LocalRank, p.LocalSize, err = env.local(found); err != nil {
		return Place{}, err
	}
	if p.Epoch, _, err = env.number(fagusEpoch); err != nil {
		return Place{}, err
	}
	if p.Job = env.job(found); p.Job == "" {
		return Place{}, fmt.Errorf("cluster: %s=%d is a rank of a job that has no name: set %s to a name that no other job of this user has, the same for all ranks, or %s to where they meet",
			p.Source, p.Rank, fagusJob, fagusRendezvous)
	}
	return p, nil
}

// environment is what the launcher has set.
type environment struct {
	lookup func(string) (string, bool)
}

func (e environment) get(name string) string {
	v, _ := e.lookup(name)
	return v
}

// number is the first of the variables that is set; which is empty if none is.
func (e environment) number(names ...string) (n int, which string, err error) {
	for _, name := range names {
		v := e.get(name)
		if v == "" {
			continue
		}
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 || n > dimmnet.MaxNodes {
			return 0, name, fmt.Errorf("cluster: %s=%q is not a number from 0 to %d", name, v, dimmnet.MaxNodes)
		}
		return n, name, nil
	}
	return 0, "", nil
}

// seen shows variables as they are set.
func (e environment) seen(names ...string) string {
	var all []string
	for _, name := range names {
		if v := e.get(name); v != "" {
			all = append(all, name+"="+v)
		} else {
			all = append(all, name+" not set")
		}
	}
	return strings.Join(all, ", ")
}

// claim is what one launcher says.
type claim struct {
	launcher   launcher
	rank, size int
	sizeName   string // the variable that the size comes from
}

// launched is what the launchers say that have set a rank, in their order.
func (e environment) launched() ([]claim, error) {
	var found []claim
	for _, l := range launchers() {
		if e.get(l.rank) == "" || l.started != "" && e.get(l.started) == "" {
			continue
		}
		rank, _, err := e.number(l.rank)
		if err != nil {
			return nil, err
		}
		size, sizeName, err := e.number(l.sizes...)
		if err != nil {
			return nil, err
		}
		if sizeName == "" {
			return nil, fmt.Errorf("cluster: a rank without a size: %s: set %s", e.seen(append([]string{l.rank}, l.sizes...)...), l.sizes[0])
		}
		if rank >= size {
			return nil, fmt.Errorf("cluster: %s, but the ranks of a job are 0 to its size - 1", e.seen(l.rank, sizeName))
		}
		found = append(found, claim{launcher: l, rank: rank, size: size, sizeName: sizeName})
	}
	return found, nil
}

// alone is the error of a process without a rank: ErrNoJob, or what says that others
// were meant to be with it.
func (e environment) alone() error {
	if e.get(fagusSize) != "" {
		return fmt.Errorf("cluster: a size without a rank: %s: set %s, or start the program by a launcher", e.seen(fagusRank, fagusSize), fagusRank)
	}
	// Backward, because the first ones borrow the sizes of later ones.
	for _, l := range slices.Backward(launchers()) {
		n, name, err := e.number(l.sizes...)
		if err != nil {
			return err
		}
		if n > 1 {
			return fmt.Errorf("cluster: %s, but nothing says which of them this process is (%s): %s", e.seen(name), e.seen(l.absent()), l.start)
		}
	}
	return ErrNoJob
}

// contradiction says what is wrong with the claims together, if anything is.
func (e environment) contradiction(found []claim) error {
	first := found[0]
	of := first.launcher
	if n, name, err := e.number(fagusSize); err != nil || name != "" && n != first.size {
		if err != nil {
			return err
		}
		return fmt.Errorf("cluster: two sizes of one job: %s: unset %s, or set it to %d", e.seen(first.sizeName, fagusSize), fagusSize, first.size)
	}
	for _, c := range found[1:] {
		if slices.Contains(of.agrees, c.launcher.rank) && !c.same(first) || first.size == 1 && c.size > 1 {
			return fmt.Errorf("cluster: two launchers contradict each other: %s, but %s: unset the variables of the wrong one",
				e.seen(of.rank, first.sizeName), e.seen(c.launcher.rank, c.sizeName))
		}
	}
	// A shell of an interactive step is one process of an allocation for many.
	if n, name, err := e.number(of.allotted); err != nil || name != "" && first.size == 1 && n > 1 {
		if err != nil {
			return err
		}
		return fmt.Errorf("cluster: one process of its own where there should be more: %s: %s", e.seen(first.sizeName, name), of.start)
	}
	return nil
}

// local is the place among the ranks of the host, -1 and 0 if nothing says it.
func (e environment) local(found []claim) (rank, size int, err error) {
	rank = -1
	for _, c := range agreeing(found) {
		r, rankName, err := e.number(c.launcher.localRank...)
		if err != nil {
			return 0, 0, err
		}
		n, sizeName, err := e.number(c.launcher.localSize...)
		if err != nil {
			return 0, 0, err
		}
		hosts, _, err := e.number(c.launcher.hosts...)
		if err != nil {
			return 0, 0, err
		}
		if hosts == 1 && sizeName == "" {
			n, sizeName = c.size, c.sizeName
		}
		if sizeName != "" && (n > c.size || r >= n) {
			return 0, 0, fmt.Errorf("cluster: %s, but %s", e.seen(append(slices.Clone(c.launcher.localRank), sizeName)...), e.seen(c.sizeName))
		}
		if rankName != "" && rank < 0 {
			rank = r
		}
		if sizeName != "" && size == 0 {
			size = n
		}
	}
	return rank, size, nil
}

// agreeing are the claims that say the same of this process as the first.
func agreeing(found []claim) []claim {
	return slices.DeleteFunc(slices.Clone(found), func(c claim) bool { return !c.same(found[0]) })
}

func (c claim) same(d claim) bool { return c.rank == d.rank && c.size == d.size }

// job is the name of the job: the user's, the launcher's, that of another launcher which
// says the same of this process, or the place where its processes meet.
func (e environment) job(found []claim) string {
	if name := e.get(fagusJob); name != "" {
		return name
	}
	for _, c := range agreeing(found) {
		for _, parts := range c.launcher.jobs {
			var values []string
			for _, name := range parts {
				values = append(values, e.get(name))
			}
			if !slices.Contains(values, "") {
				return strings.Join(values, ".")
			}
		}
	}
	return e.get(fagusRendezvous)
}
