package fagus

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/internal/guard"
)

// joined returns net as a Joiner, and reports whether this process runs one rank of a job.
func joined(net dimmnet.Network) (dimmnet.Joiner, bool) {
	j, ok := net.(dimmnet.Joiner)
	if !ok {
		return nil, false
	}
	_, size := j.Job()
	return j, size > 0
}

// result is what a rank sends to the ranks in other processes at the end of a run.
type result struct {
	Stats   Stats
	Tallies []guard.Tally
}

// gather adds the results of other ranks to ranks and tallies, which hold the result of this rank.
func gather(ctx context.Context, net dimmnet.Network, ranks []Stats, tallies [][]guard.Tally) error {
	j, ok := joined(net)
	if !ok {
		return nil
	}
	own, _ := j.Job()
	text, err := json.Marshal(result{ranks[own], tallies[own]})
	if err != nil {
		return fmt.Errorf("fagus: encoding the results of a run: %w", err)
	}
	all, err := j.Gather(ctx, text)
	if err != nil {
		return fmt.Errorf("fagus: gathering the results of a run: %w", err)
	}
	if len(all) != len(ranks) {
		return fmt.Errorf("fagus: gathered the results of %d ranks, want %d", len(all), len(ranks))
	}
	for r, text := range all {
		if dimmnet.Rank(r) == own {
			continue
		}
		var of result
		if err := json.Unmarshal(text, &of); err != nil {
			return fmt.Errorf("fagus: decoding the results of rank %d: %w", r, err)
		}
		ranks[r], tallies[r] = of.Stats, of.Tallies
		ranks[r].Rank = r
	}
	return nil
}
