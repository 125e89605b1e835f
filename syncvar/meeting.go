package syncvar

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Mismatch is the error that two ranks wait for all ranks in different calls: they would wait
// forever.
type Mismatch struct {
	First, Second dimmnet.Rank
	first, second string // the calls of both ranks
}

// Error says what both ranks called, and the rule.
func (m *Mismatch) Error() string { return m.At("", "") }

// At is Error with the places of the two calls, such as " at main.go:12".
func (m *Mismatch) At(first, second string) string {
	return fmt.Sprintf("rank %d %s%s, but rank %d %s%s; all ranks must call Fence, Update, Barrier, Reduce and Rebind in the same order, and none may return before",
		m.First, m.first, first, m.Second, m.second, second)
}

// CheckMeeting returns a *Mismatch if two ranks wait for all ranks in different calls, a and b.
func CheckMeeting(first dimmnet.Rank, a Call, second dimmnet.Rank, b Call) error {
	if a == b {
		return nil
	}
	return &Mismatch{first, second, did(a), did(b)}
}

// Fenced returns how many lists are behind a Fence. The Fence is passed in the phase in which all
// are.
func Fenced(lists []List) (n int) {
	for r := range lists {
		if lists[r].Fenced {
			n++
		}
	}
	return n
}

// CheckFence returns a *Mismatch if a rank is behind a Fence that another rank, which waits for all
// ranks in another call, can no longer call: both would wait forever.
func CheckFence(lists []List) error {
	if n := Fenced(lists); n == 0 || n == len(lists) {
		return nil
	}
	behind := slices.IndexFunc(lists, func(l List) bool { return l.Fenced })
	late := slices.IndexFunc(lists, func(l List) bool { return !l.Fenced && l.Call != Acquire })
	if late < 0 {
		return nil
	}
	return &Mismatch{dimmnet.Rank(behind), dimmnet.Rank(late), "has called Fence", did(lists[late].Call)}
}

func did(c Call) string {
	if c == End {
		return "has returned"
	}
	return "calls " + c.String()
}
