package s3

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// blocks is the number of pieces in the array of churn, for any number of ranks.
const blocks = 6

var errStopped = errors.New("the program was told to stop")

// churn is a program in which each rank changes other blocks in each step, as a function of their
// old content. It returns the sum of all cells, which depends only on the number of steps.
type churn struct {
	cells int // in a block
	steps int
	stop  int // the program fails after this step; 0: it does not
}

func (c churn) run(n *fagus.Node) (sum uint64, resumed bool, err error) {
	array, err := fagus.NewArray[uint64](n, "cells", blocks*c.cells)
	if err != nil {
		return 0, false, err
	}
	vars := make([]*fagus.SyncVar, blocks)
	for b := range vars {
		if vars[b], err = n.Bind(fmt.Sprint("block", b), array.Range(b*c.cells, (b+1)*c.cells)); err != nil {
			return 0, false, err
		}
	}
	cells := array.Slice()
	step := 0
	resumed = n.Resume(&step)
	n.Barrier()
	for step < c.steps && n.Err() == nil {
		for b, v := range vars {
			// Every third block rests, so that checkpoints refer to earlier ones.
			if (b+step)%n.Nodes() != n.Rank() || step > 0 && b%3 == step%3 {
				continue
			}
			n.Set(v.Write()).Do(func() {
				for i := b * c.cells; i < (b+1)*c.cells; i++ {
					cells[i] = cells[i]*6364136223846793005 + uint64(i+step+1)
				}
			})
		}
		n.Barrier()
		step++
		n.Checkpoint()
		if step == c.stop {
			return 0, resumed, errStopped
		}
	}
	var all []fagus.Request
	for _, v := range vars {
		all = append(all, v.Read())
	}
	n.Set(all...).Do(func() {
		for i, v := range cells {
			sum = sum*31 + v ^ uint64(i)
		}
	})
	return sum, resumed, n.Err()
}

// start runs the program, and returns the result that its ranks agree on.
func (c churn) start(t *testing.T, nodes int, keeper *checkpoint.Keeper) (sum uint64, resumed bool, err error) {
	t.Helper()
	cfg := fagus.Config{Nodes: nodes}
	if keeper != nil {
		cfg.Checkpoints = keeper
		defer keeper.Close()
	}
	sums, resumes := make([]uint64, nodes), make([]bool, nodes)
	_, err = fagus.Run(t.Context(), cfg, func(n *fagus.Node) (err error) {
		sums[n.Rank()], resumes[n.Rank()], err = c.run(n)
		return err
	})
	for r := range sums {
		if err == nil && (sums[r] != sums[0] || resumes[r] != resumes[0]) {
			t.Errorf("rank %d: sum %x, resumed %v; rank 0: %x, %v", r, sums[r], resumes[r], sums[0], resumes[0])
		}
	}
	return sums[0], resumes[0], err
}

func (c churn) want(t *testing.T) uint64 {
	t.Helper()
	sum, _, err := c.start(t, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// verify reads all checkpoints that have a manifest, and returns their numbers.
func verify(t *testing.T, s *Store) []uint64 {
	t.Helper()
	numbers, err := checkpoint.Numbers(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range numbers {
		o, err := checkpoint.Open(t.Context(), s, n)
		if err != nil {
			t.Errorf("checkpoint %d: %v", n, err)
			continue
		}
		if err := o.Verify(); err != nil {
			t.Errorf("checkpoint %d: %v", n, err)
		}
		o.Close()
	}
	return numbers
}

// TestResume: a job of 2 ranks that was stopped goes on with 3, from parts of several uploads, and
// ends with the same bits.
func TestResume(t *testing.T) {
	t.Parallel()
	s := start(t)
	store := s.open(t, "s3://bucket/job")
	whole := churn{cells: 250_000, steps: 5} // 6 MB a rank
	want := whole.want(t)
	first := whole
	first.stop = 3
	if _, _, err := first.start(t, 2, checkpoint.New(checkpoint.Config{Store: store})); !errors.Is(err, errStopped) {
		t.Fatalf("the first run: error %v, want %v", err, errStopped)
	}
	if s.count("complete") == 0 || s.count("put") == 0 {
		t.Error("the job has not sent both small and large objects")
	}
	sum, resumed, err := whole.start(t, 3, checkpoint.New(checkpoint.Config{Store: store}))
	if err != nil || !resumed || sum != want {
		t.Errorf("the second run: sum %x, resumed %v, error %v; want %x, true", sum, resumed, err, want)
	}
	if numbers := verify(t, store); len(numbers) != 2 || numbers[1] < 5 {
		t.Errorf("checkpoints %v: want the last two", numbers)
	}
}

// TestFailingServer: a server that refuses half of the writes, and loses some answers, costs
// checkpoints. The run goes on; valid checkpoints are whole, and a run resumes from them.
func TestFailingServer(t *testing.T) {
	t.Parallel()
	s := start(t)
	seed := rand.Uint64()
	t.Log("seed ", seed)
	random := rand.New(rand.NewPCG(seed, 0)) // the server's lock is held
	flaky := func(r *http.Request) fault {
		switch kind(r) {
		case "put", "part", "begin", "complete":
			if random.IntN(2) == 0 {
				return []fault{broken, slow, cut, lost}[random.IntN(4)]
			}
		}
		return none
	}
	whole := churn{cells: 1000, steps: 24}
	want := whole.want(t)
	first := whole
	first.stop = 20
	// With two attempts some checkpoints succeed and others fail.
	store := s.open(t, "s3://bucket/job", func(l *limits) { l.attempts = 2 })
	var log strings.Builder
	cfg := checkpoint.Config{Store: store, Log: slog.New(slog.NewTextHandler(&log, nil))}
	s.inject(flaky)
	if _, _, err := first.start(t, 2, checkpoint.New(cfg)); !errors.Is(err, errStopped) {
		t.Fatalf("the first run: error %v, want %v", err, errStopped)
	}
	failed := strings.Count(log.String(), "level=WARN")
	s.inject(nil)
	numbers := verify(t, store)
	t.Logf("%d warnings, checkpoints %v", failed, numbers)
	if failed == 0 {
		t.Error("nothing has failed")
	}
	s.inject(flaky)
	sum, resumed, err := whole.start(t, 3, checkpoint.New(cfg))
	if err != nil || resumed != (len(numbers) > 0) || sum != want {
		t.Errorf("the second run: sum %x, resumed %v, error %v; want %x, %v", sum, resumed, err, want, len(numbers) > 0)
	}
	s.inject(nil)
	verify(t, store)
}

// TestStaleListing: with listings that lack recent objects, no object is replaced, and the run
// goes on.
func TestStaleListing(t *testing.T) {
	t.Parallel()
	s := start(t)
	store := s.open(t, "s3://bucket/job")
	whole := churn{cells: 1000, steps: 9}
	want := whole.want(t)
	first := whole
	first.stop = 2
	if _, _, err := first.start(t, 2, checkpoint.New(checkpoint.Config{Store: store})); !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
	thaw := s.freeze(t, store) // with checkpoints 1 and 2
	second := whole
	second.stop = 5
	var log strings.Builder
	cfg := checkpoint.Config{Store: store, Log: slog.New(slog.NewTextHandler(&log, nil))}
	if _, resumed, err := second.start(t, 2, checkpoint.New(cfg)); !errors.Is(err, errStopped) || !resumed {
		t.Fatalf("the second run: resumed %v, error %v", resumed, err)
	}
	// The third job believes that 2 is the newest, and fails to write 3, 4 and 5 again.
	log.Reset()
	sum, resumed, err := whole.start(t, 2, checkpoint.New(cfg))
	if err != nil || !resumed || sum != want {
		t.Errorf("the third run: sum %x, resumed %v, error %v; want %x, true", sum, resumed, err, want)
	}
	if n := strings.Count(log.String(), fs.ErrExist.Error()); n < 3 {
		t.Errorf("%d warnings of an object that exists: want 3\n%s", n, log.String())
	}
	thaw()
	if numbers := verify(t, store); !slices.Contains(numbers, 9) {
		t.Errorf("checkpoints %v: want also 9", numbers)
	}
	sum, resumed, err = whole.start(t, 2, checkpoint.New(cfg))
	if err != nil || !resumed || sum != want {
		t.Errorf("the fourth run: sum %x, resumed %v, error %v; want %x, true", sum, resumed, err, want)
	}
}
