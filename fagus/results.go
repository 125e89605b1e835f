package fagus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/consistency/order"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/internal/guard"
	"github.com/fagus-dsm/fagus/syncvar"
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
	Tallies []guard.Tally // of Config.Check
	Order   order.Log     // of Config.Check
	Waits   rankWaits

	Unguarded []string // names of arrays that no variable guards

	line func(syncvar.ID) string // of a rank in this process: where it acquires a variable
}

// result writes the results of this rank to r. It is no part of Run's function of a rank, because
// thousands of simulated ranks keep the stack of that one while they wait.
func (n *Node) result(r *result) {
	*r = result{n.Stats(), n.guard.Tallies(), n.order.Log(), n.waits.result(n.space.Name, &n.lines), n.space.Unguarded(), n.lines.line}
}

// gather adds the results of the ranks in other processes to results, by rank.
func gather(ctx context.Context, net dimmnet.Network, results []result) error {
	j, ok := joined(net)
	if !ok {
		return nil
	}
	own, _ := j.Job()
	text, err := json.Marshal(results[own])
	if err != nil {
		return fmt.Errorf("fagus: encoding the results of a run: %w", err)
	}
	all, err := gatherBytes(ctx, j, text)
	if err != nil {
		return fmt.Errorf("fagus: gathering the results of a run: %w", err)
	}
	for r, text := range all {
		if dimmnet.Rank(r) == own {
			continue
		}
		var of result
		if err := json.Unmarshal(text, &of); err != nil {
			return fmt.Errorf("fagus: decoding the results of rank %d: %w", r, err)
		}
		if err := errors.Join(of.Stats.check(len(all)), of.Waits.check()); err != nil {
			return fmt.Errorf("fagus: the results of rank %d: %w", r, err)
		}
		of.Stats.Rank = r
		results[r] = of
	}
	return nil
}

// check returns an error if s, which another process has sent, cannot be the statistics of a rank.
func (s *Stats) check(nodes int) error {
	if min(s.Before, s.After) < 0 || s.Sections < 0 || len(s.Spans) > MaxSpans {
		return fmt.Errorf("%v before and %v after %d measured sections, and %d spans: want at least 0, and at most %d spans", s.Before, s.After, s.Sections, len(s.Spans), MaxSpans)
	}
	for _, u := range []Usage{s.Usage, s.MeasuredUsage} {
		if u.Got < 0 || u.Wanted != 0 && u.Wanted < u.Got || u.Ranks < 0 || u.Ranks > nodes || u.Processors < 0 {
			return fmt.Errorf("%v of processor time of %v wanted, for %d ranks on %d processors: want at least 0, at most what was wanted, and at most %d ranks", u.Got, u.Wanted, u.Ranks, u.Processors, nodes)
		}
	}
	for part := range s.Parts {
		if s.Parts[part].Time < 0 || s.Measured[part] < 0 {
			return fmt.Errorf("%v of %v, of which %v are measured: want at least 0", s.Parts[part].Time, Part(part), s.Measured[part])
		}
	}
	at := Time(0)
	for i, span := range s.Spans {
		if span.Part < 0 || span.Part >= Parts || span.From < at || span.To < span.From || span.For < 0 || span.For >= nodes || span.Until < 0 || span.Until > span.To {
			return fmt.Errorf("span %d is %+v, after %v: want one of %d parts that begins later, and of a wait for one of %d ranks until its end", i, span, at, Parts, nodes)
		}
		at = span.To
	}
	return nil
}

const (
	// gatherPiece is how many bytes a rank sends at a time. A Gather takes at most 1 MiB.
	gatherPiece = 1 << 19
	// gatherAll is how many bytes of all ranks a process has at a time, if it keeps none of them.
	// Pieces have at least gatherLeast bytes.
	gatherAll   = 1 << 25
	gatherLeast = 1 << 12
)

// gatherBytes returns the bytes of all ranks, indexed by rank, however many they are.
func gatherBytes(ctx context.Context, j dimmnet.Joiner, own []byte) ([][]byte, error) {
	_, nodes := j.Job()
	all := make([][]byte, nodes)
	err := dimmnet.GatherPieces(ctx, j, own, gatherPiece, func(r int, piece []byte) { all[r] = append(all[r], piece...) })
	if err != nil {
		return nil, err
	}
	return all, nil
}
