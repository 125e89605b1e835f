package cluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster/meeting"
)

// announcement is the hello of a process and, for rank 0, the address where it listens.
type announcement struct {
	hello
	At string `json:"at,omitempty"` // rank 0 only: host:port
}

type sighting struct {
	announcement
	name string // of the process at the meeting points
	err  error  // why the announcement cannot be decoded; nil if it can
}

// roster is the list of processes that a rank sees at the rendezvous, including its own.
type roster struct {
	own      hello
	seen     []sighting // sorted by rank
	mismatch error      // processes with another key are at the rendezvous; nil: none seen
	since    time.Time  // start of the current uninterrupted problem; zero: no problem
}

func readAnnouncement(p meeting.Process) sighting {
	s := sighting{name: p.Name}
	if err := json.Unmarshal(p.Meta, &s.announcement); err != nil {
		s.err = fmt.Errorf("cluster: %s at %s is at the job's meeting point, but is no process of the job", sanitize([]byte(p.Name)), p.Address)
	}
	return s
}

// update sets the processes seen now. mismatch is the reason why others cannot be seen, or nil.
func (r *roster) update(seen []sighting, mismatch error) {
	r.seen, r.mismatch = seen, mismatch
	slices.SortFunc(r.seen, func(a, b sighting) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), strings.Compare(a.process(), b.process()))
	})
}

// settling is how long a problem must last: the previous job of this name may still be leaving.
const settling = 700 * time.Millisecond

// wrong returns the current problem if it has lasted for the settling time.
func (r *roster) wrong(now time.Time) error {
	err := r.problem()
	switch {
	case err == nil:
		r.since = time.Time{}
	case r.since.IsZero():
		r.since = now
	case now.Sub(r.since) >= settling:
		return err
	}
	return nil
}

func (r *roster) problem() error {
	for i, s := range r.seen {
		if s.err != nil {
			return s.err
		}
		if err := s.check(r.own); err != nil {
			return err
		}
		if i > 0 && r.seen[i-1].Rank == s.Rank {
			return fmt.Errorf("cluster: two processes are rank %d of job %.80q: %s and %s", s.Rank, r.own.Job, r.seen[i-1].process(), s.process())
		}
	}
	return r.mismatch
}

func (r *roster) rank(n int) (announcement, bool) {
	for _, s := range r.seen {
		if s.err == nil && s.Rank == n && s.check(r.own) == nil {
			return s.announcement, true
		}
	}
	return announcement{}, false
}

func (r *roster) String() string {
	var missing []int
	var present []string
	for n := range r.own.Size {
		if c, ok := r.rank(n); !ok {
			missing = append(missing, n)
		} else if len(present) < 20 {
			present = append(present, c.name())
		} else if len(present) == 20 {
			present = append(present, "and others")
		}
	}
	if len(missing) == 0 {
		return "all ranks were found: " + strings.Join(present, ", ")
	}
	return fmt.Sprintf("of %d ranks, these were found: %s; these were not: %s", r.own.Size, strings.Join(present, ", "), list(missing))
}
