//go:build unix

package launch_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/gossip"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// TestZombie is litmus test 8: in epoch 1, rank 1 has acquired s to write 1 to x, and is stopped
// where the launcher cannot kill it. In epoch 2, rank 1 writes 2. Then the zombie goes on: it
// writes 1, releases s, and makes a checkpoint. Rank 2 of epoch 2 must read 2, and so must a
// third run, from the checkpoint.
func TestZombie(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the ranks of a host meet on Linux only")
	}
	for _, net := range []string{"shm", "tcp"} {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			t.Run(fmt.Sprintf("%s/%v", net, mode), func(t *testing.T) {
				t.Parallel()
				z := zombie{t.TempDir()}
				defer z.kill()
				var out bytes.Buffer
				job := launch.Job{
					Size: 3, Argv: []string{os.Args[0], "epoch", z.folder, mode.String()}, Env: append(cluster.WithoutPlace(os.Environ()), "FAGUS_NET="+net), Stdout: &out, Stderr: &out, Restart: 1,
				}
				if err := job.Run(t.Context()); err != nil || !strings.Contains(out.String(), "restarting, attempt 2 of 2") || !strings.Contains(out.String(), "2: x is 2\n") {
					t.Fatalf("%v: %s", err, &out)
				}
				if why := z.read("ended"); why == "" || why == "<nil>" {
					t.Errorf("the zombie ended with %q: want an error", why)
				}
				if x, state := z.saved(t); x != 2 || state != "[0,2]" {
					t.Errorf("the newest checkpoint has x %d, state %s: want 2, [0,2]: %s", x, state, &out)
				}
			})
		}
	}
}

// zombie is a folder with notes of the zombie, and checkpoints.
type zombie struct{ folder string }

func (z zombie) write(name, text string) error {
	path := filepath.Join(z.folder, name)
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// read returns a note, or "" if there is none.
func (z zombie) read(name string) string {
	b, _ := os.ReadFile(filepath.Join(z.folder, name))
	return string(b)
}

// kill kills the zombie if it has not ended, as after a failure of the test.
func (z zombie) kill() {
	var pid int
	if _, err := fmt.Sscan(z.read("pid"), &pid); err == nil && pid > 1 && z.read("ended") == "" {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// await waits for a note.
func (z zombie) await(name string) (text string, err error) {
	for begun := time.Now(); text == ""; time.Sleep(5 * time.Millisecond) {
		if text = z.read(name); text == "" && time.Since(begun) > 20*time.Second {
			return "", fmt.Errorf("no note %q", name)
		}
	}
	return text, nil
}

func (z zombie) store() (*checkpoint.Directory, error) {
	return checkpoint.OpenDirectory(filepath.Join(z.folder, "kept"))
}

// saved returns what the newest checkpoint has.
func (z zombie) saved(t *testing.T) (x uint64, state string) {
	store, err := z.store()
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := checkpoint.Numbers(t.Context(), store)
	if err != nil || len(numbers) == 0 {
		t.Fatal(numbers, err)
	}
	from, err := checkpoint.Open(t.Context(), store, numbers[len(numbers)-1])
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	if err := from.Verify(); err != nil {
		t.Error(err)
	}
	var b [8]byte
	if err := from.Read(0, 0, b[:]); err != nil {
		t.Fatal(err)
	}
	return binary.NativeEndian.Uint64(b[:]), string(from.State())
}

const asZombie = "LAUNCH_TEST_ZOMBIE"

// epochRank is a rank of TestZombie.
func epochRank(folder, mode string) {
	z := zombie{folder}
	err := z.rank(mode)
	if os.Getenv(asZombie) != "" {
		err = z.write("ended", fmt.Sprint(err))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func (z zombie) rank(mode string) error {
	first, one := os.Getenv(cluster.AttemptVariable) == "0", os.Getenv("FAGUS_RANK") == "1"
	if first && one && os.Getenv(asZombie) == "" {
		return z.escape()
	}
	store, err := z.store()
	if err != nil {
		return err
	}
	cfg := fagus.Config{Checkpoints: checkpoint.New(checkpoint.Config{Store: store})}
	if err := cfg.Mode.UnmarshalText([]byte(mode)); err != nil {
		return err
	}
	_, err = cluster.Run(context.Background(), cfg, func(n *fagus.Node) error { return z.epoch(n, first) }, gossip.Driver{})
	return err
}

// escape starts rank 1 again in a session of its own, and is killed in its place.
func (z zombie) escape() error {
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), asZombie+"=1", cluster.OriginVariable+"=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	if _, err := z.await("pid"); err != nil {
		return err
	}
	time.Sleep(100 * time.Millisecond) // it stops
	return syscall.Kill(os.Getpid(), syscall.SIGKILL)
}

func (z zombie) epoch(n *fagus.Node, first bool) error {
	array, err := fagus.NewArray[uint64](n, "x", 1)
	if err != nil {
		return err
	}
	x := array.Slice()
	s, err := n.Bind("s", array.Range(0, 1))
	if err != nil {
		return err
	}
	state := 0
	if resumed := n.Resume(&state); resumed == first {
		return fmt.Errorf("rank %d: the first epoch is %v, and resumed %v: %w", n.Rank(), first, resumed, n.Err())
	}
	write := n.Set(s.Write())
	if first {
		state = 1
		n.Checkpoint()
		if n.Rank() == 1 {
			write.Do(func() {
				_ = z.write("pid", fmt.Sprint(os.Getpid())) // noticed by who waits for it
				_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
				time.Sleep(100 * time.Millisecond) // all threads stop, also on a busy machine
				x[0] = 1
			})
		}
		state = 100
		n.Checkpoint()
		return n.Err()
	}
	if n.Rank() == 1 {
		write.Do(func() { x[0] = 2 })
	}
	n.Barrier()
	if n.Rank() == 1 {
		if err := z.resurrect(); err != nil {
			return err
		}
	}
	n.Barrier()
	if n.Rank() == 2 {
		n.Set(s.Read()).Do(func() { fmt.Printf("x is %d\n", x[0]) })
	}
	// The zombie may have written its part of the checkpoint whose number the first one has, which
	// then fails.
	state = 2
	n.Checkpoint()
	n.Checkpoint()
	return n.Err()
}

// resurrect lets the zombie go on, and returns when it has ended.
func (z zombie) resurrect() error {
	var pid int
	if _, err := fmt.Sscan(z.read("pid"), &pid); err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		return err
	}
	_, err := z.await("ended")
	return err
}
