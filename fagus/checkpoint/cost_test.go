package checkpoint_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// slow is a store whose operations take time.
type slow struct{ checkpoint.Store }

func (s slow) Create(ctx context.Context, name string) (checkpoint.Writer, error) {
	time.Sleep(3 * time.Millisecond)
	return s.Store.Create(ctx, name)
}

// kept returns a keeper in a slow store, and a function that acts as a cut does. The function
// returns whether it made a checkpoint, and what was known before.
func kept(t *testing.T, cfg checkpoint.Config) (k *checkpoint.Keeper, cut func() (made bool, before checkpoint.Cost)) {
	store, err := checkpoint.OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cfg.Store = slow{store}
	k = checkpoint.New(cfg)
	t.Cleanup(func() { _ = k.Close() }) // its directory is temporary
	k.Begin(0)
	return k, func() (bool, checkpoint.Cost) {
		before := k.Cost()
		number, _, err := k.Due(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if number == 0 {
			return false, before
		}
		if err := errors.Join(k.Save(t.Context(), fagus.Cut{Number: number, Nodes: 1, State: []byte("1")}), k.Commit(t.Context(), number)); err != nil {
			t.Fatal(err)
		}
		return true, before
	}
}

// TestShare: with a share, no checkpoint begins that would exceed it if it took as long as the
// last one. Without a share, each cut makes one.
func TestShare(t *testing.T) {
	const share = 0.1
	k, cut := kept(t, checkpoint.Config{Share: share})
	var latest time.Duration
	made := 0
	for began := time.Now(); made < 6 && time.Since(began) < time.Minute; time.Sleep(time.Millisecond) {
		is, before := cut()
		if !is {
			continue
		}
		made++
		now := k.Cost()
		if run := now.Run; (before.Took + latest).Seconds() > share*run.Seconds() {
			t.Errorf("checkpoint %d begins when %v of at most %v were taken, and the last one took %v", made, before.Took, run, latest)
		}
		latest = now.Took - before.Took
		if latest < 6*time.Millisecond || now.Waited-before.Waited < 6*time.Millisecond || now.Bytes <= before.Bytes || now.Made != made {
			t.Errorf("checkpoint %d: %+v, before %+v", made, now, before)
		}
	}
	if made != 6 {
		t.Errorf("%d checkpoints were made in a minute: want 6", made)
	}
	_, always := kept(t, checkpoint.Config{})
	for i := range 20 {
		if is, _ := always(); !is {
			t.Errorf("cut %d makes no checkpoint", i)
		}
	}
}

// TestShareBeside: time during which data are written beside the program counts, too.
func TestShareBeside(t *testing.T) {
	k, cut := kept(t, checkpoint.Config{Copy: 1 << 20})
	if is, _ := cut(); !is || !k.Finish(t.Context()) {
		t.Fatal("no checkpoint was made")
	}
	if c := k.Cost(); c.Took < 3*time.Millisecond || c.Waited > c.Took {
		t.Errorf("it took %v, of which the program waited %v", c.Took, c.Waited)
	}
}

// TestNone: when there is no checkpoint, the cost says why.
func TestNone(t *testing.T) {
	k, cut := kept(t, checkpoint.Config{Every: time.Hour})
	want := func(what string) {
		t.Helper()
		if c := k.Cost(); !strings.Contains(c.String(), "no checkpoint was made: "+what) {
			t.Errorf("%v: want %q", &c, what)
		}
	}
	want("the program does not call Resume, Steps, Rounds or Checkpoint")
	if k.Asked() {
		t.Error("nobody has asked for a checkpoint")
	}
	if _, err := k.Newest(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	want("the program has made no cut")
	cut()
	want("the last cut was 0 after the begin of the run, and the first checkpoint is due after 1h0m0s")
	if !k.Asked() {
		t.Error("the program has asked for checkpoints")
	}
}

// TestOneFailure: a checkpoint that fails is the reason why there is none. Its end is reported
// more than once, and counts once.
func TestOneFailure(t *testing.T) {
	store, err := checkpoint.OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	k := checkpoint.New(checkpoint.Config{Store: store, Log: slog.New(slog.DiscardHandler)})
	k.Begin(0)
	number, _, err := k.Due(t.Context(), 0)
	if err != nil || number != 1 {
		t.Fatalf("checkpoint %d is due, error %v", number, err)
	}
	if err := k.Save(t.Context(), fagus.Cut{Number: number, Nodes: 1, State: []byte("1")}); err != nil {
		t.Fatal(err)
	}
	k.Failed(number, errors.New("the network is down"))
	once := k.Cost()
	if once.Took <= 0 || once.Waited <= 0 || !strings.Contains(once.String(), "no checkpoint was made: what was tried has failed") {
		t.Errorf("after one failure: %v, %+v", &once, once)
	}
	k.Failed(number, errors.New("the disk is full"))
	if twice := k.Cost(); twice.Took != once.Took || twice.Waited != once.Waited {
		t.Errorf("the end is told twice: %+v, after once %+v", twice, once)
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
}

// TestOtherName: another program's checkpoint is refused by its name, even if all else is equal.
func TestOtherName(t *testing.T) {
	for _, c := range []struct {
		made, now string
		want      string
	}{
		{"sor", "sor", ""}, {"", "sor", ""}, {"sor", "", ""},
		{"sor", "lu", "was made by program sor, and this program is lu"},
		{"a\xff", "a\xff", ""},
	} {
		store, err := checkpoint.OpenDirectory(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		number := uint64(0)
		for _, name := range []string{c.made, c.now} {
			k := checkpoint.New(checkpoint.Config{Store: store, Program: name, Input: []string{"--n=1"}})
			k.Begin(0)
			if number > 0 {
				_, err = k.Open(t.Context(), number)
				break
			}
			if number, _, err = k.Due(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(k.Save(t.Context(), fagus.Cut{Number: number, Nodes: 1, State: []byte("1")}), k.Commit(t.Context(), number), k.Close()); err != nil {
				t.Fatal(err)
			}
		}
		unlike := (*fagus.UnlikeError)(nil)
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &unlike) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("made by %q, opened by %q: error %v, want %q", c.made, c.now, err, c.want)
		}
	}
}
