package syncvar

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// CheckMeeting reports two ranks that wait for all others in different calls: they
// would wait for ever.
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
