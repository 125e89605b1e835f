package fagus_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// loops runs a program of two loops up to a stop, and returns the steps that rank 0 has made.
func loops(t *testing.T, dir string, nodes, stop int) (made []string, begun int, err error) {
	t.Helper()
	store, err := checkpoint.OpenDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	keeper := checkpoint.New(checkpoint.Config{Store: store})
	defer keeper.Close()
	_, err = fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Checkpoints: keeper}, func(n *fagus.Node) error {
		var sum int
		var all []int
		note := func(what string, at ...int) {
			if n.Rank() == 0 {
				made = append(made, what+fmt.Sprint(at))
			}
		}
		n.Resume(&sum, &all)
		if n.Rank() == 0 {
			begun = n.Begun()
		}
		for i := range n.Steps(4) {
			if i == stop {
				return cmp.Or(n.Barrier(), errors.New("stopped")) // rank 0 has made the checkpoint
			}
			note("step", i)
			for j := range n.Steps(2) { // another loop counts by itself
				sum += 10*i + j
			}
			for lo, hi := range n.Rounds(40) {
				note("items", lo, hi)
			}
			all = append(all, sum)
		}
		if n.Err() != nil {
			return n.Err()
		}
		for i := range n.Steps(2) {
			note("later", i)
		}
		note("sum", append(all, sum)...)
		return n.Err()
	})
	return made, begun, err
}

// TestSteps: a loop goes on after its last checkpoint, once, with the state. Other loops do not.
func TestSteps(t *testing.T) {
	rest := func(i int) []string { return []string{fmt.Sprintf("step[%d]", i), "items[0 40]"} }
	end := []string{"later[0]", "later[1]", "sum[1 22 63 124 124]"}
	for _, nodes := range []int{1, 3} {
		dir := t.TempDir()
		for i, stop := range []int{2, 2, 3} {
			made, begun, err := loops(t, dir, nodes, stop)
			want := [][]string{slices.Concat(rest(0), rest(1)), nil, rest(2)}[i]
			if err == nil || begun != []int{0, 2, 2}[i] || !slices.Equal(made, want) {
				t.Errorf("%d nodes, run %d: begun at %d, made %q, error %v; want %q", nodes, i, begun, made, err, want)
			}
		}
		made, begun, err := loops(t, dir, nodes+1, -1)
		if want := append(rest(3), end...); err != nil || begun != 3 || !slices.Equal(made, want) {
			t.Errorf("%d nodes: begun at %d, made %q, error %v; want %q", nodes, begun, made, err, want)
		}
	}
}

// resumable runs a program with checkpoints in a directory.
func resumable(t *testing.T, dir string, nodes int, program func(*fagus.Node) error) error {
	t.Helper()
	store, err := checkpoint.OpenDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	keeper := checkpoint.New(checkpoint.Config{Store: store})
	defer keeper.Close()
	_, err = fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Checkpoints: keeper}, program)
	return err
}

// TestBreak: a loop that ended by a break does not go on in a run that resumes after it.
func TestBreak(t *testing.T) {
	dir := t.TempDir()
	for nodes := 1; nodes < 4; nodes++ {
		err := resumable(t, dir, nodes, func(n *fagus.Node) error {
			sum := 0
			if resumed := n.Resume(&sum); resumed != (nodes > 1) {
				t.Errorf("%d nodes: resumed %v", nodes, resumed)
			}
			for range n.Steps(100) {
				if sum++; sum >= 5 {
					break
				}
			}
			if sum != 5 {
				t.Errorf("%d nodes: %d steps, want 5", nodes, sum)
			}
			return n.Checkpoint()
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestOtherLoop: a checkpoint counts the steps of one loop. Another loop does not begin with them.
func TestOtherLoop(t *testing.T) {
	type loops struct {
		stop                int // the step of the first loop at which the run ends
		fill, steps, rounds int // the ends of three loops; 0: none
		again               bool
	}
	program := func(c loops) func(*fagus.Node) error {
		return func(n *fagus.Node) error {
			n.Resume()
			fill := func() {
				for i := range n.Steps(c.fill) {
					if i == c.stop {
						return
					}
				}
			}
			if c.fill > 0 {
				fill()
			}
			if c.stop > 0 {
				return cmp.Or(n.Err(), n.Barrier(), errors.New("stopped"))
			}
			if c.again {
				fill()
			}
			if c.steps > 0 {
				for range n.Steps(c.steps) {
					if c.fill == 0 {
						t.Errorf("%+v: the second loop has begun", c)
					}
				}
			}
			for range n.Rounds(c.rounds) {
				if c.fill == 0 {
					t.Errorf("%+v: the third loop has begun", c)
				}
			}
			return n.Err()
		}
	}
	for _, c := range []struct {
		loops
		want string
	}{
		{loops{fill: 10, steps: 10, rounds: 10}, ""},
		{loops{fill: 20}, ""},
		{loops{fill: 3}, "the run resumes after 4 steps, and the loop has 3"},
		{loops{fill: 10, again: true}, "could not tell Steps(10) in steps_test.go"},
		{loops{steps: 10}, "the first loop of this run is Steps(10) in steps_test.go"},
		{loops{rounds: 10}, "the first loop of this run is Rounds(10) in steps_test.go"},
	} {
		dir := t.TempDir()
		if err := resumable(t, dir, 2, program(loops{fill: 10, stop: 4})); err == nil || !strings.Contains(err.Error(), "stopped") {
			t.Fatalf("the first run: error %v", err)
		}
		if err := resumable(t, dir, 3, program(c.loops)); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}

// TestRounds: items are divided only if there are checkpoints, and no item is left out.
func TestRounds(t *testing.T) {
	for _, c := range []struct{ items, rounds int }{{0, 0}, {1, 1}, {5, 5}, {16, 16}, {100, 15}} {
		for _, checkpoints := range []bool{false, true} {
			cfg, rounds := fagus.Config{Nodes: 1}, min(1, c.items)
			if checkpoints {
				store, err := checkpoint.OpenDirectory(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				keeper := checkpoint.New(checkpoint.Config{Store: store})
				defer keeper.Close()
				cfg.Checkpoints, rounds = keeper, c.rounds
			}
			_, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
				next, count := 0, 0
				for lo, hi := range n.Rounds(c.items) {
					if lo != next || hi <= lo {
						t.Errorf("%d items: from %d to %d after %d", c.items, lo, hi, next)
					}
					next, count = hi, count+1
				}
				if next != c.items || count != rounds {
					t.Errorf("%d items, checkpoints %v: %d items in %d rounds, want %d rounds", c.items, checkpoints, next, count, rounds)
				}
				return n.Err()
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// TestFewerSteps: a run whose loop has fewer steps than were made is refused; it may have more.
func TestFewerSteps(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ end, stop, from int }{{8, 5, 0}, {4, 0, -1}, {5, 0, -1}, {9, 9, 6}} {
		store, err := checkpoint.OpenDirectory(dir)
		if err != nil {
			t.Fatal(err)
		}
		keeper := checkpoint.New(checkpoint.Config{Store: store})
		first := -1
		_, err = fagus.Run(t.Context(), fagus.Config{Nodes: 1, Checkpoints: keeper}, func(n *fagus.Node) error {
			n.Resume()
			for i := range n.Steps(c.end) {
				if first < 0 {
					first = i
				}
				if i > c.stop && first == 0 {
					return nil
				}
			}
			for range n.Steps(-1) {
				t.Error("a loop of -1 steps has one")
			}
			return n.Err()
		})
		if want := fmt.Sprintf("the run resumes after 6 steps, and the loop has %d", c.end); (err != nil) != (c.from < 0) || err != nil && !strings.Contains(err.Error(), want) || first != c.from {
			t.Errorf("%d steps: first step %d, error %v, want %d and, if that is -1, %s", c.end, first, err, c.from, want)
		}
		if err := keeper.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestStateOfOtherProgram: a state that has other values is refused.
func TestStateOfOtherProgram(t *testing.T) {
	dir := t.TempDir()
	for i, state := range [][]any{{new(int)}, {}, {new(int), new(int)}, {new(string)}} {
		store, err := checkpoint.OpenDirectory(dir)
		if err != nil {
			t.Fatal(err)
		}
		keeper := checkpoint.New(checkpoint.Config{Store: store})
		_, err = fagus.Run(t.Context(), fagus.Config{Nodes: 1, Checkpoints: keeper}, func(n *fagus.Node) error {
			n.OnResume(func() { t.Errorf("state %d: OnResume was called", i) })
			n.Resume(state...)
			return n.Checkpoint()
		})
		if want := "another version of the program"; (err != nil) != (i > 0) || i > 0 && !strings.Contains(err.Error(), want) {
			t.Errorf("state %d: error %v, want %s", i, err, want)
		}
		if err := keeper.Close(); err != nil {
			t.Error(err)
		}
	}
}

func ExampleNode_Steps() {
	dir, err := os.MkdirTemp("", "steps")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	run := func(nodes, stop int) {
		store, err := checkpoint.OpenDirectory(dir)
		if err != nil {
			fmt.Println(err)
			return
		}
		keeper := checkpoint.New(checkpoint.Config{Store: store})
		defer keeper.Close()
		_, err = fagus.Run(context.Background(), fagus.Config{Nodes: nodes, Checkpoints: keeper}, func(n *fagus.Node) error {
			total := fagus.NewGuarded[int](n, "total", 1)
			n.Resume()
			for i := range n.Steps(4) {
				if i == stop {
					return cmp.Or(n.Barrier(), errors.New("the power fails"))
				}
				n.Set(total.Write().Unordered()).Do(func() {
					if n.Rank() == 0 {
						total.Slice()[0] += i
						fmt.Println("step", i, "on", nodes, "ranks: total", total.Slice()[0])
					}
				})
			}
			return n.Err()
		})
		if err != nil {
			fmt.Println("the run has ended early")
		}
	}
	run(2, 2)
	run(3, -1)
	// Output:
	// step 0 on 2 ranks: total 0
	// step 1 on 2 ranks: total 1
	// the run has ended early
	// step 2 on 3 ranks: total 3
	// step 3 on 3 ranks: total 6
}
