package parts

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// partly does a part of the steps 0 to 5, up to a stop, with every type that checkpoints contain.
// It returns the result as text.
func partly(n *fagus.Node, stop int) (string, error) {
	const rows, columns, steps = 20, 3, 6
	pair, err := NewPair[int64](n, "pair", Shape{Rows: rows, Columns: columns, Halo: 1, Wrap: true})
	if err != nil {
		return "", err
	}
	type count struct{ Sum, Last int64 }
	table, err := NewTable(n, "table", cmp.Compare[string], func(a, b count) count { return count{a.Sum + b.Sum, max(a.Last, b.Last)} })
	if err != nil {
		return "", err
	}
	sized, err := newSized(n)
	if err != nil {
		return "", err
	}
	queue, err := NewQueue(n, "queue", 40, 2)
	if err != nil {
		return "", err
	}
	whole, err := NewWhole[int64](n, "whole", rows)
	if err != nil {
		return "", err
	}
	sums, exact := make([]int64, 3), make([]Exact, 2)
	KeepSums(n, "sums", sums)
	KeepExact(n, "exact", exact)
	private := newPrivate(n, rows)
	whole.Keep()
	lo, hi := pair.Now.Mine()
	if !n.Resume() {
		if err := pair.Fill(func() error {
			for i := lo; i < hi; i++ {
				pair.Next.Row(i)[0] = int64(i)
			}
			return nil
		}); err != nil {
			return "", err
		}
	}
	for step := range n.Steps(stop) {
		if err := pair.Step(func() error {
			for i := lo; i < hi; i++ {
				pair.Next.Row(i)[0] = 3*pair.Now.Row(i - 1)[0] + pair.Now.Row(i + 1)[0] + 7*pair.Now.Row(i)[0]
			}
			return nil
		}); err != nil {
			return "", err
		}
		if err := sized.step(lo, hi, step); err != nil {
			return "", err
		}
		for i := lo; i < hi; i++ {
			if i%4 == 0 {
				table.Add(fmt.Sprintf("key %d, which is rather long", i*(step%2)), count{int64(i), int64(step)})
			}
			sums[i%3] += int64(i * step)
			exact[i%2].Add(float64(i) / 3)
			exact[i%2].Add(-1e300 / float64(i+step+1))
		}
		if step%2 == 1 { // at even steps, additions are not merged before the Checkpoint
			if err := table.Merge(); err != nil {
				return "", err
			}
		}
		if err := queue.each(3*step, 3*step+3, func(b int) error { sums[b%3] += int64(b); return nil }, Results{}); err != nil {
			return "", err
		}
		if err := private.step(whole, step); err != nil {
			return "", err
		}
	}
	if stop < steps {
		return "", n.Checkpoint()
	}
	if wrong := private.wrong(steps); wrong != "" {
		return "", fmt.Errorf("rank %d of %d: %s", n.Rank(), n.Nodes(), wrong)
	}
	for i := range sums {
		if sums[i], err = fagus.Reduce(n, sums[i], func(a, b int64) int64 { return a + b }); err != nil {
			return "", err
		}
	}
	all, err := NewExactSums(n, "all", len(exact))
	if err == nil {
		err = all.Add(exact)
	}
	if err != nil {
		return "", err
	}
	entries, err := table.Collect()
	if err != nil {
		return "", err
	}
	values, err := sized.text()
	if err != nil {
		return "", err
	}
	var points []int64
	err = n.Set(pair.Now.WantAll(fagus.Shared)...).Do(func() { points = pair.Now.Copy() })
	return fmt.Sprint(points, entries, values, sums, exact[0].Float64(), exact[1].Float64()), err
}

// sized are types with values of variable size.
type sized struct {
	node   *fagus.Node
	list   *List[[]string]
	groups *Table[string, map[int][]byte]
	queue  *Channel[string] // gets two values a step, of which one stays
}

func newSized(n *fagus.Node) (s sized, err error) {
	s.node = n
	if s.list, err = NewList[[]string](n, "list", 460); err != nil {
		return s, err
	}
	if s.queue, err = NewChannel[string](n, "channel", 7, 1); err != nil {
		return s, err
	}
	s.groups, err = NewTable(n, "groups", cmp.Compare[string], func(a, b map[int][]byte) map[int][]byte {
		maps.Copy(a, b)
		return a
	})
	return s, err
}

// step changes the list at one rank, and adds this rank's items lo to hi-1 to groups.
func (s sized) step(lo, hi, step int) error {
	for i := lo; i < hi; i++ {
		s.groups.Add(fmt.Sprint("group ", i%3), map[int][]byte{100*step + i: make([]byte, i%4)})
	}
	if step%2 == 0 {
		if err := s.groups.Merge(); err != nil {
			return err
		}
	}
	if err := s.send(step); err != nil {
		return err
	}
	if err := s.node.Fence(); err != nil {
		return err
	}
	set := s.node.Set()
	if step%s.node.Nodes() == s.node.Rank() {
		set = s.node.Set(s.list.Write())
	}
	return s.node.During(set, func() error {
		if step%s.node.Nodes() != s.node.Rank() {
			return nil
		}
		if err := s.list.Append(nil, []string{fmt.Sprint("step ", step)}, []string{strings.Repeat("x", 5*step)}); err != nil {
			return err
		}
		return s.list.Set(step, []string{"set", strings.Repeat("y", 40-5*step)})
	})
}

// send sends two values at one rank, and receives one at another.
func (s sized) send(step int) error {
	if step%s.node.Nodes() == s.node.Rank() {
		for i := range 2 {
			if err := s.queue.Send(strings.Repeat(fmt.Sprint(i), 60*step)); err != nil {
				return err
			}
		}
	}
	if (step+1)%s.node.Nodes() == s.node.Rank() {
		_, _, err := s.queue.Receive()
		return err
	}
	return nil
}

// received returns what is in the channel at the end.
func (s sized) received() (text string, err error) {
	if s.node.Rank() == 0 {
		if err := s.queue.Close(); err != nil {
			return "", err
		}
		for v, err := range s.queue.All() {
			if err != nil {
				return "", err
			}
			text += fmt.Sprintf(" %d %.1s", len(v), v)
		}
	}
	all, err := Gather(s.node, text)
	return strings.Join(all, ""), err
}

func (s sized) text() (string, error) {
	received, err := s.received()
	if err != nil {
		return "", err
	}
	if err := s.groups.Merge(); err != nil {
		return "", err
	}
	groups, err := s.groups.Collect()
	if err != nil {
		return "", err
	}
	text := received + fmt.Sprint(groups)
	err = s.node.During(s.node.Set(s.list.Read()), func() error {
		for v, err := range s.list.All() {
			if err != nil {
				return err
			}
			text += fmt.Sprintf(" %q", v)
		}
		return nil
	})
	return text, err
}

// private is memory of a single rank.
type private struct {
	rows, lo int
	block    []int64 // by row of this rank
	matrix   []int32 // this rank's columns of three rows, in blocks of 4
	columns  []int
}

const privateColumns = 23

func newPrivate(n *fagus.Node, rows int) *private {
	p := &private{rows: rows}
	lo, hi := Block(rows, n.Nodes(), n.Rank())
	p.lo, p.block = lo, make([]int64, hi-lo)
	for _, b := range Cyclic((privateColumns+3)/4, n.Nodes(), n.Rank()) {
		for c := 4 * b; c < min(4*b+4, privateColumns); c++ {
			p.columns = append(p.columns, c)
		}
	}
	p.matrix = make([]int32, 3*len(p.columns))
	KeepBlock(n, "block", &p.block, rows, 1)
	KeepColumns(n, "matrix", &p.matrix, 3, privateColumns, 4)
	return p
}

// step adds up the vector of the last step, and makes the next one.
func (p *private) step(whole *Whole[int64], step int) error {
	if step > 0 {
		if err := whole.Read(func(all []int64) {
			for i := range p.block {
				p.block[i] += all[(p.lo+i+1)%p.rows]
			}
		}); err != nil {
			return err
		}
	}
	for i := range p.matrix {
		p.matrix[i] += int32(step * (1 + i/len(p.columns)*privateColumns + p.columns[i%len(p.columns)]))
	}
	return whole.Fill(func(mine []int64) {
		for i := range mine {
			mine[i] = int64((step + 1) * (p.lo + i))
		}
	})
}

// wrong says what is wrong after the given number of steps.
func (p *private) wrong(steps int) string {
	times := steps * (steps - 1) / 2
	for i, x := range p.block {
		if want := times * ((p.lo + i + 1) % p.rows); x != int64(want) {
			return fmt.Sprintf("element %d of the block is %d: want %d", p.lo+i, x, want)
		}
	}
	for i, x := range p.matrix {
		row, column := i/len(p.columns), p.columns[i%len(p.columns)]
		if want := times * (1 + row*privateColumns + column); int(x) != want {
			return fmt.Sprintf("row %d, column %d is %d: want %d", row, column, x, want)
		}
	}
	return ""
}

// TestResume: a run that stops after any step and resumes elsewhere has the same result. On 16
// nodes words are folded, and data go in several steps.
func TestResume(t *testing.T) {
	run := func(nodes int, mode fagus.Mode, virtual bool, stop int, store checkpoint.Store) string {
		t.Helper()
		cfg := fagus.Config{Nodes: nodes, Mode: mode}
		if virtual {
			net, err := sim.New(sim.Config{Env: "fagus2", Limit: 10 * dimmnet.Second})
			if err != nil {
				t.Fatal(err)
			}
			cfg.Net = net
		}
		if store != nil {
			keeper := checkpoint.New(checkpoint.Config{Store: store})
			defer keeper.Close()
			cfg.Checkpoints = keeper
		}
		texts := make([]string, nodes)
		if _, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) (err error) {
			texts[n.Rank()], err = partly(n, stop)
			return err
		}); err != nil {
			t.Fatalf("%d nodes, %v mode: %v", nodes, mode, err)
		}
		if slices.ContainsFunc(texts, func(s string) bool { return s != texts[0] }) {
			t.Errorf("ranks differ: %q", texts)
		}
		return texts[0]
	}
	want := run(1, fagus.Phase, false, 6, nil)
	ranks := []int{1, 2, 3, 16}
	if testing.Short() {
		ranks = ranks[:3]
	}
	for i, before := range ranks {
		for j, after := range ranks {
			store, err := checkpoint.OpenDirectory(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			first, second := fagus.Phase, fagus.Threaded
			if (i+j)%2 == 0 {
				first, second = second, first
			}
			run(before, first, i%2 == 1, 1+(i+2*j)%5, store)
			if got := run(after, second, i%2 == 0, 6, store); got != want {
				t.Errorf("%d nodes in %v mode, then %d nodes: %s, want %s", before, first, after, got, want)
			}
		}
	}
}

// TestOtherLengths: data that were kept with another length are refused, and nothing is saved in
// part.
func TestOtherLengths(t *testing.T) {
	run := func(store checkpoint.Store, program func(*fagus.Node) error) (said string, err error) {
		var text strings.Builder
		keeper := checkpoint.New(checkpoint.Config{Store: store, Log: slog.New(slog.NewTextHandler(&text, nil))})
		defer keeper.Close()
		_, err = fagus.Run(t.Context(), fagus.Config{Nodes: 1, Checkpoints: keeper}, program)
		return text.String(), err
	}
	for _, other := range []int{2, 4, 6} {
		store, err := checkpoint.OpenDirectory(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for i, length := range []int{4, other} {
			_, err := run(store, func(n *fagus.Node) error {
				x := make([]Exact, length)
				KeepExact(n, "x", x)
				n.Resume()
				return n.Checkpoint()
			})
			if want := fmt.Sprintf("4 exact sums: want %d", other); (err != nil) != (length != 4) || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("run %d of %d sums after 4: error %v", i, length, err)
			}
		}
		said, err := run(store, func(n *fagus.Node) error {
			x := make([]int32, 4)
			KeepColumns(n, "x", &x, 2, 2, 1)
			x = make([]int32, other)
			return n.Checkpoint()
		})
		if err != nil || strings.Contains(said, "a slice has changed its length") != (other != 4) {
			t.Errorf("%d elements after 4: error %v; it said: %s", other, err, said)
		}
	}
}

// TestEachInRounds: a queue and a pool that resume after any round do each remaining item once.
func TestEachInRounds(t *testing.T) {
	const items = 40
	for _, pool := range []bool{false, true} {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			for stop := 5; stop <= items; stop += 13 {
				store, err := checkpoint.OpenDirectory(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				if got, err := tally(t, store, fagus.Config{Nodes: 2, Mode: mode}, pool, items, stop); stop < items && err == nil {
					t.Errorf("stopped at %d: %v, want an error", stop, got)
				}
				other := fagus.Phase + fagus.Threaded - mode
				got, err := tally(t, store, fagus.Config{Nodes: 3, Mode: other}, pool, items, items+1)
				if i := slices.IndexFunc(got, func(count int64) bool { return count != 1 }); err != nil || i >= 0 {
					t.Errorf("pool %v, %v mode, stopped at item %d: counts %v, error %v; want 1 each", pool, mode, stop, got, err)
				}
			}
		}
	}
}

// tally counts items by a queue or a pool, and fails at the item stop.
func tally(t *testing.T, store checkpoint.Store, cfg fagus.Config, pool bool, items, stop int) (counts []int64, err error) {
	t.Helper()
	keeper := checkpoint.New(checkpoint.Config{Store: store})
	defer keeper.Close()
	cfg.Checkpoints = keeper
	_, err = fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
		all := fagus.NewGuarded[int64](n, "counts", items)
		mine := make([]int64, items)
		KeepSums(n, "mine", mine)
		queue, err := NewQueue(n, "queue", items, 1)
		if err != nil {
			return err
		}
		tasks, err := NewPool[int32](n, "pool", 4)
		if err != nil {
			return err
		}
		n.Resume()
		count := func(i int) error {
			if mine[i]++; i == stop {
				return errors.New("stopped")
			}
			return nil
		}
		if pool {
			var first []int32
			for i := range items / 2 {
				first = append(first, int32(i))
			}
			err = tasks.EachInRounds(first, func(i int32, add func(int32)) error {
				if int(i) < items/2 {
					add(i + int32(items/2))
				}
				return count(int(i))
			}, Exchange{})
		} else {
			err = queue.EachInRounds(count, Results{})
		}
		if err != nil {
			return err
		}
		n.Set(all.Write().Unordered()).Do(func() {
			for i, x := range mine {
				all.Slice()[i] += x
			}
		})
		n.Barrier()
		return n.Set(all.Read()).Do(func() {
			if n.Rank() == 0 {
				counts = all.Copy()
			}
		})
	})
	return counts, err
}
