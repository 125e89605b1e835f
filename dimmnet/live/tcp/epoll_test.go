//go:build linux && !fagusportable

package tcp

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// newTestPoll returns a poll, and the other ends of pipes that it watches as ranks 1 to pipes.
func newTestPoll(t *testing.T, pipes int) (poll, []int) {
	t.Helper()
	p, err := newPoll()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	ends := make([]int, 1, pipes+1)
	for rank := 1; rank <= pipes; rank++ {
		var fds [2]int
		if err := unix.Pipe2(fds[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = unix.Close(fds[0]), unix.Close(fds[1]) })
		if err := p.watch(unix.EPOLL_CTL_ADD, fds[0], int32(rank), false); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, fds[1])
	}
	return p, ends
}

// TestTurns checks that ranks that are always ready do not take the turns of other ranks, or of
// wake-ups.
func TestTurns(t *testing.T) {
	const ranks = 50
	p, ends := newTestPoll(t, ranks)
	for _, fd := range ends[1:] {
		if _, err := unix.Write(fd, []byte{1}); err != nil {
			t.Fatal(err)
		}
	}
	for _, most := range []int{1, 4, 16} {
		turns := map[dimmnet.Rank]int{}
		p.Wake() // takes turns as well
		for range 3 * (ranks + 1) {
			for _, rank := range p.Wait(make([]dimmnet.Rank, most), 0) {
				turns[rank]++
			}
		}
		for rank := dimmnet.Rank(1); rank <= ranks; rank++ {
			if turns[rank] < 2*most {
				t.Errorf("of 3 rounds of %d ready ranks, rank %d had %d turns", most, rank, turns[rank])
			}
		}
	}
}

// TestWakeIsKept checks that a thread that does not wait takes no wake-up from one that does.
func TestWakeIsKept(t *testing.T) {
	const patient = 10 * time.Second
	p, _ := newTestPoll(t, 1)
	for i := range 3 {
		p.Wake()
		p.Wait(make([]dimmnet.Rank, 4), 0)
		begun := time.Now()
		if ready := p.Wait(make([]dimmnet.Rank, 4), patient); len(ready) > 0 || time.Since(begun) >= patient {
			t.Fatalf("wake-up %d is lost, ready: %v", i, ready)
		}
	}
	if begun := time.Now(); len(p.Wait(make([]dimmnet.Rank, 4), 20*time.Millisecond)) > 0 || time.Since(begun) < 20*time.Millisecond {
		t.Error("a wake-up ends two Waits")
	}
}

// TestWritable checks that the poll reports that a socket can be written only if it was asked to.
func TestWritable(t *testing.T) {
	p, _ := newTestPoll(t, 0)
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = unix.Close(fds[0]), unix.Close(fds[1]) })
	if err := p.watch(unix.EPOLL_CTL_ADD, fds[0], 1, false); err != nil {
		t.Fatal(err)
	}
	s := &socket{fd: fds[0], rank: 1, poll: p}
	for i, on := range []bool{false, true, true, false} {
		s.NotifyWritable(on)
		if ready := p.Wait(make([]dimmnet.Rank, 4), 0); (len(ready) == 1) != on {
			t.Errorf("step %d: ready ranks %v, wanted: %t", i, ready, on)
		}
	}
}
