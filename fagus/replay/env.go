package replay

import (
	"fmt"
	"strconv"
)

// The environment variables of a replay.
const (
	DirVariable    = "FAGUS_REPLAY"        // the directory of the record
	RankVariable   = "FAGUS_REPLAY_RANK"   // the rank
	ResultVariable = "FAGUS_REPLAY_RESULT" // the file to which the Result is written; may be unset
	RecordVariable = "FAGUS_REPLAY_RECORD" // where the replay is recorded; may be unset
)

// Wanted returns the directory and rank of the replay that the environment asks for; "" for none.
// lookup is os.LookupEnv or a replacement.
func Wanted(lookup func(string) (string, bool)) (dir string, rank int, err error) {
	if dir, _ = lookup(DirVariable); dir == "" {
		return "", 0, nil
	}
	text, _ := lookup(RankVariable)
	if rank, err = strconv.Atoi(text); err != nil || rank < 0 {
		return "", 0, fmt.Errorf("replay: %s is %q: want the number of a rank, as fagus replay sets it", RankVariable, text)
	}
	return dir, rank, nil
}
