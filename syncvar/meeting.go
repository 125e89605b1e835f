package syncvar

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// CheckMeeting returns an error if two ranks wait for all ranks in different calls, a and b: they
// would wait forever.
func CheckMeeting(first dimmnet.Rank, a Call, second dimmnet.Rank, b Call) error {
	if a == b {
		return nil
	}
	return fmt.Errorf("rank %d %s, but rank %d %s; "+
		"all ranks must call Update, Barrier and Reduce in the same order, and none may return before", first, did(a), second, did(b))
}

func did(c Call) string {
	if c == End {
		return "has returned"
	}
	return "calls " + c.String()
}
