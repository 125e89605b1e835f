package fagus_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/fagus/replay"
)

// keepRecord runs a program with a record with values, and returns the directory and the error of
// the run.
func keepRecord(t *testing.T, cfg fagus.Config, program func(*fagus.Node) error) (dir string, failed error) {
	t.Helper()
	cfg.Record = recording.New(filepath.Join(t.TempDir(), "rec"))
	cfg.Record.Values = true
	_, failed = fagus.Run(t.Context(), cfg, program)
	return cfg.Record.Dir, failed
}

// replayRank replays a rank of a record, and returns the result and the error of the run. again is
// a directory for the record of the replay, or "".
func replayRank(t *testing.T, dir string, rank int, again string, program func(*fagus.Node) error) (result replay.Result, failed error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "result")
	for name, value := range map[string]string{
		replay.DirVariable: dir, replay.RankVariable: fmt.Sprint(rank), replay.ResultVariable: file, replay.RecordVariable: again,
	} {
		t.Setenv(name, value)
	}
	_, failed = fagus.Run(t.Context(), fagus.Config{Record: recording.New("unused")}, program)
	os.Unsetenv(replay.DirVariable)
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &result)
	}
	if err != nil {
		t.Fatal(err, failed)
	}
	return result, failed
}

// same fails the test unless each of some ranks, alone, does what it did.
func same(t *testing.T, dir string, nodes int, program func(*fagus.Node) error) {
	t.Helper()
	for rank := range nodes {
		result, err := replayRank(t, dir, rank, "", program)
		if err != nil || result.End != replay.Ended || result.Difference != nil || result.Calls == 0 || result.Moved != "" {
			t.Errorf("rank %d: %+v, error %v", rank, result, err)
		}
	}
}

// TestReplay: each rank of a run, alone, does what it did: on networks, in both modes, with a
// Rebind, and with access checking.
func TestReplay(t *testing.T) {
	for i, net := range networks(t) {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			for _, cfg := range []fagus.Config{{}, {Check: fagus.CheckOn}, {Helpers: mode == fagus.Threaded}, {WriteDetection: fagus.DetectDeclared}} {
				if i == 1 && cfg.Check != fagus.CheckOff && testing.Short() {
					continue
				}
				cfg.Nodes, cfg.Net, cfg.Mode = 3, net, mode
				dir, err := keepRecord(t, cfg, recorded)
				if err != nil {
					t.Fatal(err)
				}
				same(t, dir, cfg.Nodes, recorded)
			}
		}
	}
}

// TestReplayRebind: what a variable guarded before a Rebind is not written over what another one
// guards now.
func TestReplayRebind(t *testing.T) {
	program := func(n *fagus.Node) error {
		a, err := fagus.NewArray[int64](n, "a", 4096)
		if err != nil {
			return err
		}
		v, err := n.Bind("v", a.Range(0, 2048))
		if err != nil {
			return err
		}
		w, err := n.Bind("w", a.Range(2048, 4096))
		if err != nil {
			return err
		}
		result := fagus.NewGuarded[int64](n, "result", 3)
		for range 3 {
			if n.Rank() == 0 {
				n.Set(v.Write()).Do(func() { a.Slice()[1500]++ })
			}
			n.Barrier()
		}
		if err := n.Rebind(v.To(a.Range(0, 1024)), w.To(a.Range(1024, 4096))); err != nil {
			return err
		}
		if n.Rank() == 1 {
			n.Set(w.Write()).Do(func() { a.Slice()[1500] = 100 })
		}
		n.Barrier()
		for _, of := range []*fagus.SyncVar{w, v} {
			if n.Rank() == 2 {
				n.Set(of.Read()).Do(func() {})
			}
			n.Barrier()
		}
		n.Set(result.Write().Unordered()).Do(func() { result.Slice()[n.Rank()] = a.Slice()[1500] })
		return n.Err()
	}
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		net, err := sim.New(sim.Config{})
		if err != nil {
			t.Fatal(err)
		}
		dir, err := keepRecord(t, fagus.Config{Nodes: 3, Net: net, Mode: mode}, program)
		if err != nil {
			t.Fatal(err)
		}
		same(t, dir, 3, program)
	}
}

// TestReplayUpdate: a rank sees what an Update brought, and what it read without holding it.
func TestReplayUpdate(t *testing.T) {
	program := func(n *fagus.Node) error {
		a, result := fagus.NewGuarded[int64](n, "a", 8), fagus.NewGuarded[int64](n, "result", 8)
		n.Set(a.Read()).Do(func() {})
		for i := range 6 {
			if n.Rank() == 0 {
				n.Set(a.Write()).Do(func() { a.Slice()[3] += int64(i + 1) })
			}
			if n.Barrier(); i%2 == 1 {
				n.Update()
			}
			n.Set(result.Write().Unordered()).Do(func() { result.Slice()[n.Rank()] += 10*result.Slice()[n.Rank()] + a.Slice()[3] })
		}
		return n.Err()
	}
	for _, net := range networks(t) {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			dir, err := keepRecord(t, fagus.Config{Nodes: 3, Net: net, Mode: mode}, program)
			if err != nil {
				t.Fatal(err)
			}
			same(t, dir, 3, program)
		}
	}
}

// TestReplayRuns: the second run of a process has a record of its own, and a replay goes through
// both.
func TestReplayRuns(t *testing.T) {
	of := recording.New(filepath.Join(t.TempDir(), "rec"))
	of.Values = true
	for range 2 {
		if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Record: of}, step("")); err != nil {
			t.Fatal(err)
		}
	}
	if !recording.Holds(of.Dir) || !recording.Holds(recording.Sub(of.Dir, 0, 2)) {
		t.Fatal("there are no two records")
	}
	file := filepath.Join(t.TempDir(), "result")
	t.Setenv(replay.DirVariable, of.Dir)
	t.Setenv(replay.RankVariable, "1")
	t.Setenv(replay.ResultVariable, file)
	again := recording.New("unused")
	var results [2]replay.Result
	for i := range results {
		if _, err := fagus.Run(t.Context(), fagus.Config{Record: again}, step([]string{"", "value"}[i])); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err = errors.Join(err, json.Unmarshal(text, &results[i])); err != nil {
			t.Fatal(err)
		}
	}
	if one, two := results[0], results[1]; one.Difference != nil || two.Difference == nil || two.Calls != 2*one.Calls || one.Calls == 0 {
		t.Errorf("%+v and then %+v", one, two)
	}
	if _, err := fagus.Run(t.Context(), fagus.Config{Record: again}, step("")); err == nil || !strings.Contains(err.Error(), "run3 has no record of rank 0") {
		t.Errorf("a third run: %v", err)
	}
}

// TestReplayHostile: whatever a record contains, a replay ends, without a panic.
func TestReplayHostile(t *testing.T) {
	longtest.Third(t)
	program := func(n *fagus.Node) error {
		if err := step("")(n); err != nil {
			return err
		}
		return n.Update()
	}
	dir, err := keepRecord(t, fagus.Config{Nodes: 2}, program)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(replay.DirVariable, dir)
	t.Setenv(replay.RankVariable, "1")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for rank := range 2 {
		file := filepath.Join(dir, fmt.Sprintf("rank%d.record", rank))
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for at := 12; at < len(whole); at++ {
			b := []byte(string(whole))
			b[at] = byte(random.Uint32())
			if err := os.WriteFile(file, mended(b), 0o666); err != nil {
				t.Fatal(err)
			}
			_, _ = fagus.Run(t.Context(), fagus.Config{Record: recording.New("unused")}, program)
		}
		if err := os.WriteFile(file, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// mended makes the checksums of a record right, so that what is behind them is tested.
func mended(b []byte) []byte {
	const head = 8
	for at := 12; at+head < len(b); {
		length := int(binary.LittleEndian.Uint32(b[at:]))
		if length > len(b)-at-head {
			return b
		}
		binary.LittleEndian.PutUint32(b[at+4:], crc32.Checksum(b[at+head:][:length], crc32.MakeTable(crc32.Castagnoli)))
		at += head + length
	}
	return b
}

// decides is a program whose values depend on the time, and on how long its sections took.
func decides(n *fagus.Node) error {
	x := fagus.NewGuarded[int64](n, "x", n.Nodes())
	for range 5 {
		began := n.Now()
		took, err := n.Measure(func() error {
			n.Spend(fagus.Time(1+n.Rank()) * fagus.Microsecond)
			return nil
		})
		if err != nil {
			return err
		}
		n.Set(x.Write().Unordered()).Do(func() { x.Slice()[n.Rank()] += int64(n.Now()-began) + 7*int64(took) })
	}
	_, err := fagus.Reduce(n, n.Now(), func(a, b fagus.Time) fagus.Time { return a + b })
	return errors.Join(err, n.Err())
}

// TestReplayTime: a rank gets the times that it got.
func TestReplayTime(t *testing.T) {
	for _, net := range networks(t) {
		dir, err := keepRecord(t, fagus.Config{Nodes: 2, Net: net, Mode: fagus.Threaded}, decides)
		if err != nil {
			t.Fatal(err)
		}
		same(t, dir, 2, decides)
	}
}

// TestReplayFold: with many ranks a Reduce has its result from rank 0.
func TestReplayFold(t *testing.T) {
	program := func(n *fagus.Node) error {
		if !n.Folds() {
			return errors.New("no Folds")
		}
		x := fagus.NewGuarded[int](n, "x", n.Nodes())
		for i := range 3 {
			sum, err := fagus.Reduce(n, n.Rank()*i, func(a, b int) int { return a + b })
			if err != nil {
				return err
			}
			n.Set(x.Write().Unordered()).Do(func() { x.Slice()[n.Rank()] += sum })
		}
		return n.Err()
	}
	net, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	const nodes = 40
	dir, err := keepRecord(t, fagus.Config{Nodes: nodes, Net: net, Lists: fagus.ListsTree}, program)
	if err != nil {
		t.Fatal(err)
	}
	for _, rank := range []int{0, 7, nodes - 1} {
		for _, again := range []string{"", t.TempDir()} {
			if result, err := replayRank(t, dir, rank, again, program); err != nil || result.End != replay.Ended || result.Difference != nil || result.Words != 3 {
				t.Errorf("rank %d, recorded again in %q: %+v, error %v", rank, again, result, err)
			}
		}
	}
}

// TestReplayCheckpoints: a run that makes checkpoints, and one that resumes from the last of them
// on another number of ranks, with private memory. The replay reads no checkpoint and makes none.
func TestReplayCheckpoints(t *testing.T) {
	program := func(n *fagus.Node) error {
		x := fagus.NewGuarded[int64](n, "x", 64)
		private, each := make([]int64, 1), int64(n.Rank())
		fagus.Keep(n, "private", &private, n.Rank(), 8)
		fagus.KeepEach(n, "each", func() []byte { return []byte{byte(each)} }, func(b []byte) error {
			each += int64(b[0])
			return nil
		})
		if !n.Resume() {
			n.Set(x.Write().Unordered()).Do(func() { x.Slice()[n.Rank()] = 5 })
		}
		for i := range n.Steps(4) {
			n.Set(x.Write().Unordered()).Do(func() {
				private[0] += x.Slice()[i] + each
				x.Slice()[8*n.Rank()+i] = private[0]
			})
			n.Barrier()
		}
		return n.Err()
	}
	kept := t.TempDir()
	for _, nodes := range []int{3, 2} {
		store, err := checkpoint.OpenDirectory(kept)
		if err != nil {
			t.Fatal(err)
		}
		keeper := checkpoint.New(checkpoint.Config{Store: store})
		dir, err := keepRecord(t, fagus.Config{Nodes: nodes, Net: inproc.New(inproc.Config{}), Checkpoints: keeper}, program)
		if err = errors.Join(err, keeper.Close()); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadDir(kept)
		if err != nil {
			t.Fatal(err)
		}
		same(t, dir, nodes, program)
		if after, err := os.ReadDir(kept); err != nil || len(after) != len(before) {
			t.Errorf("a replay has changed the checkpoints: %v, before %v", after, before)
		}
	}
}

// step is a program with a mistake, if mistake is not "".
func step(mistake string) func(*fagus.Node) error {
	return func(n *fagus.Node) error {
		a, b := fagus.NewGuarded[float64](n, "a", 64), fagus.NewGuarded[float64](n, "b", 64)
		for i := range 3 {
			wrong := i == 1 && n.Rank() == 1
			set := n.Set(a.Write().Unordered())
			if wrong && mistake == "set" {
				set = n.Set(b.Write().Unordered())
			}
			if wrong && mistake == "returns" {
				return nil
			}
			set.Do(func() {
				a.Slice()[n.Rank()] += float64(i) + 0.5
				if wrong && mistake == "value" {
					a.Slice()[1]++
				}
				if wrong && mistake == "more" {
					a.Slice()[40] = 9
				}
			})
			word := 1
			if wrong && mistake == "word" {
				word = 3
			}
			if wrong && mistake == "call" {
				n.Update()
			}
			if _, err := fagus.Gather(n, word); err != nil {
				return err
			}
		}
		if mistake == "goes on" {
			n.Barrier()
		}
		return n.Err()
	}
}

// TestReplayDiffers: the first difference between a replay and the record is named.
func TestReplayDiffers(t *testing.T) {
	dir, err := keepRecord(t, fagus.Config{Nodes: 2, Mode: fagus.Phase}, step(""))
	if err != nil {
		t.Fatal(err)
	}
	same(t, dir, 2, step(""))
	for _, tt := range []struct{ mistake, end, text string }{
		{"value", replay.Ended, `a[1], guarded by "a", has other bytes: 0000000000000840, recorded 0000000000000040`},
		{"more", replay.Ended, `a[40], guarded by "a", is written: 0000000000002240; the recorded run has not written it`},
		{"word", replay.Ended, `the rank gives 0x3 to a Reduce; recorded 0x1`},
		{"set", replay.Diverged, `the program calls Acquire of "b" (exclusive); the recorded run called Acquire of "a" (exclusive) at fagus/replay_test.go:`},
		{"call", replay.Diverged, `the program calls Update; the recorded run called Reduce at fagus/replay_test.go:`},
		{"returns", replay.Diverged, `the program calls return; the recorded run called Acquire of "a" (exclusive) at fagus/replay_test.go:`},
		{"goes on", replay.Diverged, `the program calls Barrier; the recorded run called return`},
	} {
		result, err := replayRank(t, dir, 1, "", step(tt.mistake))
		if result.End != tt.end || result.Difference == nil || !strings.Contains(result.Difference.Text, tt.text) || (err == nil) != (tt.end == replay.Ended) {
			t.Errorf("%s: %+v, %v, error %v; want %s", tt.mistake, result, result.Difference, err, tt.text)
		}
		if result, err := replayRank(t, dir, 0, "", step(tt.mistake)); tt.mistake != "goes on" && (err != nil || result.Difference != nil) {
			t.Errorf("%s: rank 0, which does what it did: %+v, error %v", tt.mistake, result, err)
		}
	}
}

// TestReplayFails: a rank whose program failed fails again at the same place, and so do the others
// where the failure of that rank ended their calls.
func TestReplayFails(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		program := func(n *fagus.Node) error {
			a := fagus.NewGuarded[int](n, "a", 4)
			for i := range 4 {
				err := n.During(n.Set(a.Write().Unordered()), func() error {
					if a.Slice()[0]++; i == 2 && n.Rank() == 1 {
						return fmt.Errorf("a[0] is %d", a.Slice()[0])
					}
					return nil
				})
				if err = errors.Join(err, n.Barrier()); err != nil {
					return err
				}
			}
			return nil
		}
		net, err := sim.New(sim.Config{})
		if err != nil {
			t.Fatal(err)
		}
		dir, failed := keepRecord(t, fagus.Config{Nodes: 2, Net: net, Mode: mode}, program)
		if failed == nil || !strings.Contains(failed.Error(), "a[0] is ") {
			t.Fatal(failed)
		}
		for rank := range 2 {
			result, err := replayRank(t, dir, rank, "", program)
			if result.End != replay.Failed || result.Difference != nil || err == nil || result.Calls < 4 {
				t.Errorf("%v mode, rank %d: %+v, error %v", mode, rank, result, err)
			}
			if rank == 1 && !strings.Contains(failed.Error(), err.Error()) {
				t.Errorf("%v mode: the replay fails with %v, and the run with %v", mode, err, failed)
			}
		}
	}
}

// TestReplayCut: where a record ends early the replay ends, and says why.
func TestReplayCut(t *testing.T) {
	dir, err := keepRecord(t, fagus.Config{Nodes: 2}, step(""))
	if err != nil {
		t.Fatal(err)
	}
	for rank := range 2 { // whose record is cut; rank 1 is replayed
		file := filepath.Join(dir, fmt.Sprintf("rank%d.record", rank))
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for at := len(whole) - 1; at > len(whole)*2/3; at -= 7 {
			if err := os.WriteFile(file, whole[:at], 0o666); err != nil {
				t.Fatal(err)
			}
			result, err := replayRank(t, dir, 1, "", step(""))
			ended := result.End == replay.Ended && rank == 0 && err == nil // it needs no more
			if result.Difference != nil || !ended && (result.End != replay.Cut || err == nil || result.Text == "") {
				t.Fatalf("rank %d, %d of %d bytes: %+v, error %v", rank, at, len(whole), result, err)
			}
		}
		if err := os.WriteFile(file, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(replay.DirVariable, dir)
	for rank, want := range map[string]string{"2": "has the ranks 0 to 1, and no rank 2", "x": "want the number of a rank"} {
		t.Setenv(replay.RankVariable, rank)
		if _, err := fagus.Run(t.Context(), fagus.Config{Record: recording.New("unused")}, step("")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("rank %s: %v", rank, err)
		}
	}
	if report, err := fagus.Run(t.Context(), fagus.Config{Nodes: 3}, step("")); err != nil || len(report.Ranks) != 3 {
		t.Errorf("a run without Config.Record is no replay: %d ranks, error %v", len(report.Ranks), err)
	}
}

// TestReplayTwice: two replays have the same record, which is that of the run.
func TestReplayTwice(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		net, err := sim.New(sim.Config{})
		if err != nil {
			t.Fatal(err)
		}
		dir, err := keepRecord(t, fagus.Config{Nodes: 3, Net: net, Mode: mode}, recorded)
		if err != nil {
			t.Fatal(err)
		}
		for rank := range 3 {
			var all [3][]recording.Entry
			for i := range 2 {
				again := filepath.Join(t.TempDir(), "again")
				if _, err := replayRank(t, dir, rank, again, recorded); err != nil {
					t.Fatal(err)
				}
				all[i] = entries(t, dir, again, rank)
			}
			all[2] = entries(t, dir, dir, rank)
			if !reflect.DeepEqual(all[0], all[1]) {
				t.Errorf("%v mode: two replays of rank %d have different records", mode, rank)
			}
			if len(all[0]) != len(all[2]) {
				t.Errorf("%v mode: the replay of rank %d has %d entries, and the run %d", mode, rank, len(all[0]), len(all[2]))
			}
		}
	}
}

// entries returns the entries of a rank's record in dir, with copies of the bytes of writes; of is
// the record of the run.
func entries(t *testing.T, of, dir string, rank int) (all []recording.Entry) {
	t.Helper()
	run, err := recording.Open(of)
	if err != nil {
		t.Fatal(err)
	}
	run.Dir = dir
	in, err := run.Rank(rank)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for {
		e, err := in.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if w, ok := e.(*recording.Writes); ok {
			one := &recording.Writes{ID: w.ID, Version: w.Version}
			for _, p := range w.Pieces {
				p.Bytes = []byte(string(p.Bytes))
				one.Pieces = append(one.Pieces, p)
			}
			e = one
		}
		if in, ok := e.(*recording.Inputs); ok {
			for i := range in.All {
				in.All[i].Bytes = []byte(string(in.All[i].Bytes))
			}
		}
		all = append(all, e)
	}
}
