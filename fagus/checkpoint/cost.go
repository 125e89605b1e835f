package checkpoint

import (
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
)

// Cost says what the checkpoints of a run cost. The times are by the clock of rank 0.
type Cost struct {
	Made  int   `json:"made"`  // valid checkpoints
	Bytes int64 `json:"bytes"` // that all ranks have written for them
	// Waited is how long the program waited for them.
	Waited time.Duration `json:"waited_ns"`
	// Took is the sum of the times from the beginning of each checkpoint until it was valid or
	// given up. Meanwhile the ranks waited, or the data were written beside the program.
	Took time.Duration `json:"took_ns"`
	Run  time.Duration `json:"run_ns"` // until now
	// None says why there is no checkpoint.
	None string `json:"none,omitempty"`
	// From is the number of the checkpoint from which the run has resumed; 0 if it has not.
	From uint64 `json:"from,omitempty"`
}

// Share returns which part of the run's time checkpoints took.
func (c *Cost) Share() float64 { return c.Took.Seconds() / max(c.Run.Seconds(), 1e-9) }

// String returns a line for a report.
func (c *Cost) String() string {
	resumed := ""
	if c.From > 0 {
		resumed = fmt.Sprintf("resumed from checkpoint %d; ", c.From)
	}
	if c.Made == 0 {
		return resumed + "no checkpoint was made: " + c.None
	}
	return resumed + fmt.Sprintf("checkpoints: %d, with %.1f MiB; the program waited %v for them; they took %v, %.2g %% of the run",
		c.Made, float64(c.Bytes)/(1<<20), c.Waited.Round(10*time.Microsecond), c.Took.Round(10*time.Microsecond), 100*c.Share())
}

// costs measures the checkpoints of a run. The lock of the Keeper is held for its methods.
type costs struct {
	Cost
	begun   time.Time // of the run
	resumes bool      // Newest was called
	cuts    int
	last    fagus.Time    // of the run, at the last cut
	save    time.Time     // when the present checkpoint began; zero: none is being made
	going   bool          // the program no longer waits for it
	latest  time.Duration // what the last one took
	failed  int
}

// note calls a method of the costs.
func (k *Keeper) note(f func(*costs)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f(&k.costs)
}

func (c *costs) cut(now fagus.Time) {
	c.cuts++
	c.last = now
}

// dear reports whether checkpoints would exceed their share of the time with one more, if it takes
// as long as the last one.
func (c *costs) dear(share float64) bool {
	return share > 0 && (c.Took+c.latest).Seconds() > share*time.Since(c.begun).Seconds()
}

func (c *costs) begin() { c.save, c.going = time.Now(), false }

// waited records that the program goes on.
func (c *costs) waited() {
	if !c.save.IsZero() && !c.going {
		c.Waited += time.Since(c.save)
		c.going = true
	}
}

// end records that the checkpoint is valid or given up. It may be called again.
func (c *costs) end() {
	if !c.save.IsZero() {
		c.latest = time.Since(c.save)
		c.Took += c.latest
		c.failed++
		c.save = time.Time{}
	}
}

// valid records that a checkpoint is valid.
func (c *costs) valid(m *Manifest) {
	c.Made++
	for _, p := range m.Parts {
		c.Bytes += p.Bytes
	}
}

// Cost returns the cost of checkpoints since the beginning of the run. Rank 0's process knows it.
func (k *Keeper) Cost() Cost {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.costs.Cost
	c.Run = time.Since(k.costs.begun)
	switch {
	case c.Made > 0:
	case !k.costs.resumes && k.costs.cuts == 0:
		c.None = "the program does not call Resume, Steps, Rounds or Checkpoint"
	case k.costs.cuts == 0:
		c.None = "the program has made no cut, which is between two steps of Steps or Rounds, or a call of Checkpoint"
	case k.costs.failed > 0:
		c.None = "what was tried has failed"
	default:
		c.None = fmt.Sprintf("the last cut was %v after the begin of the run, and the first checkpoint is due after %v", k.costs.last, k.cfg.Every)
	}
	return c
}

// Asked reports whether the program makes checkpoints: it has called Resume, or made a cut.
func (k *Keeper) Asked() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.costs.resumes || k.costs.cuts > 0
}
