package cluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/memberlist"
)

// card is what a process tells the others of itself: its hello, and where rank 0 answers.
type card struct {
	hello
	At string `json:"at,omitempty"`
}

// sighting is a process that was seen.
type sighting struct {
	card
	err error // its card cannot be read
}

// roster is what a rank sees of the processes that meet at one place, itself included.
type roster struct {
	own   hello
	seen  []sighting // in the order of ranks
	odd   error      // that others cannot be seen; nil: they can, as far as is known
	since time.Time  // that something has been wrong without a break
}

// readCard reads the card of a process.
func readCard(m *memberlist.Node) sighting {
	var s sighting
	if err := json.Unmarshal(m.Meta, &s.card); err != nil {
		s.err = fmt.Errorf("cluster: %s at %s, which is no process of this job, is at its meeting point", text([]byte(m.Name)), m.Address())
	}
	return s
}

// update notes who is seen now, and why others cannot be; odd may be nil.
func (r *roster) update(seen []sighting, odd error) {
	r.seen, r.odd = seen, odd
	slices.SortFunc(r.seen, func(a, b sighting) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), strings.Compare(a.who(), b.who()))
	})
}

// settling is how long something must be wrong before it counts: the last job of this name
// may be just about to leave.
const settling = 700 * time.Millisecond

// wrong is what is wrong with those that were seen, as far as it has been so for a while.
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
			return fmt.Errorf("cluster: two processes are rank %d of job %.80q: %s and %s", s.Rank, r.own.Job, r.seen[i-1].who(), s.who())
		}
	}
	return r.odd
}

// rank is the process that says to be of a rank.
func (r *roster) rank(n int) (card, bool) {
	for _, s := range r.seen {
		if s.err == nil && s.Rank == n && s.check(r.own) == nil {
			return s.card, true
		}
	}
	return card{}, false
}

// String says who was seen, and who was not.
func (r *roster) String() string {
	var missing []int
	var who []string
	for n := range r.own.Size {
		if c, ok := r.rank(n); !ok {
			missing = append(missing, n)
		} else if len(who) < 20 {
			who = append(who, fmt.Sprintf("rank %d (%s)", n, c.who()))
		} else if len(who) == 20 {
			who = append(who, "and others")
		}
	}
	if len(missing) == 0 {
		return "all ranks were seen: " + strings.Join(who, ", ")
	}
	return fmt.Sprintf("of %d ranks these were seen: %s; and these were not: %s", r.own.Size, strings.Join(who, ", "), list(missing))
}
