//go:build linux

package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster"
)

// refusal joins processes that do not form one job. Each must get an error with the given texts
// within a second after the last process has started, although the timeout is a minute.
func refusal(t *testing.T, all []cluster.Place, says ...string) {
	t.Helper()
	before := cluster.OpenFiles(t)
	start := time.Now()
	_, errs := each(len(all), func(i int) (any, error) {
		h, err := cluster.JoinHost(within(t), all[i], cluster.Spec{Drivers: cluster.AllDrivers(), Timeout: time.Minute})
		if err == nil {
			h.Close(t.Context())
		}
		return nil, err
	})
	if took := time.Since(start); took > time.Second {
		t.Errorf("it took %v", took)
	}
	for i, err := range errs {
		for _, want := range says {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("rank %d of %d: %v, want %q", all[i].Rank, all[i].Size, err, want)
			}
		}
	}
	sameFiles(t, before)
}

func TestRefusals(t *testing.T) {
	closeHosts(join(t, 2)) // the runtime opens files of its own for the first sockets
	at := fmt.Sprintf("unix:@%s-%d", t.Name(), os.Getpid())
	job := func(ranks ...int) []cluster.Place {
		var all []cluster.Place
		for _, rank := range ranks {
			all = append(all, cluster.Place{Rank: rank, Size: 4, Job: "a", Rendezvous: at})
		}
		return all
	}
	pid := fmt.Sprintf("pid %d", os.Getpid())
	t.Run("two of rank 2", func(t *testing.T) {
		refusal(t, job(0, 1, 2, 2), "two processes are rank 2 of job", pid+" and "+pid)
	})
	t.Run("two of rank 0", func(t *testing.T) {
		refusal(t, job(0, 1, 2, 0), "two processes are rank 0 of job", pid)
	})
	t.Run("all of rank 0", func(t *testing.T) {
		refusal(t, job(0, 0, 0, 0), "two processes are rank 0 of job", pid)
	})
	t.Run("another size", func(t *testing.T) {
		all := job(0, 1, 2, 3)
		all[2].Size = 5
		refusal(t, all, "rank 2 ("+pid+") is of a job of 5 ranks", "of a job of 4")
	})
	t.Run("another job", func(t *testing.T) {
		all := job(0, 1, 2, 3)
		all[3].Job = "b"
		refusal(t, all, `rank 3 (`+pid+`) is of job "b"`, `of job "a"`)
	})
	t.Run("another network", func(t *testing.T) {
		before := cluster.OpenFiles(t)
		_, errs := each(2, func(i int) (any, error) {
			return cluster.JoinHost(within(t), cluster.Place{Rank: i, Size: 2, Job: "a", Rendezvous: at}, cluster.Spec{Drivers: cluster.AllDrivers(), Net: []cluster.Transport{cluster.TCP, cluster.QUIC}[i]})
		})
		for rank, err := range errs {
			if err == nil || !strings.Contains(err.Error(), `uses the network "quic" and rank 0 (`+pid+`) "tcp": set FAGUS_NET`) {
				t.Errorf("rank %d: %v", rank, err)
			}
		}
		sameFiles(t, before)
	})
	t.Run("singletons", func(t *testing.T) {
		all := job(0, 0, 0)
		for i := range all {
			all[i].Size = 1
		}
		// The first process is a complete job of one rank.
		first, err := cluster.JoinHost(within(t), all[0], cluster.Spec{Drivers: cluster.AllDrivers()})
		if err != nil {
			t.Fatal(err)
		}
		refusal(t, all[1:], "two processes are rank 0 of job")
		if err := first.Close(within(t)); err != nil {
			t.Error(err)
		}
	})
	t.Run("a third of two", func(t *testing.T) {
		all := job(0, 1, 1)
		for i := range all {
			all[i].Size = 2
		}
		hosts, errs := each(2, func(rank int) (*cluster.Host, error) {
			return cluster.JoinHost(within(t), all[rank], cluster.Spec{Drivers: cluster.AllDrivers()})
		})
		noErrors(t, errs)
		refusal(t, all[2:], "two processes are rank 1 of job")
		// The ranks that have joined are not affected.
		_, errs = each(2, func(rank int) ([][]byte, error) { return hosts[rank].Gather(within(t), nil) })
		noErrors(t, errs)
		noErrors(t, closeHosts(hosts))
	})
}

// TestMissing joins a job of which some ranks never start. The shortest timeout applies.
func TestMissing(t *testing.T) {
	all := places(t, 6)
	come := []cluster.Place{all[0], all[1], all[3]}
	start := time.Now()
	_, errs := each(len(come), func(i int) (*cluster.Host, error) {
		timeout := time.Minute
		if i == 1 {
			timeout = 100 * time.Millisecond
		}
		return cluster.JoinHost(within(t), come[i], cluster.Spec{Drivers: cluster.AllDrivers(), Timeout: timeout})
	})
	if took := time.Since(start); took > 30*time.Second { // the others have a minute
		t.Errorf("it took %v", took)
	}
	for i, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "these joined in time: 0-1, 3; these did not: 2, 4-5") {
			t.Errorf("rank %d: %v", come[i].Rank, err)
		}
	}
	_, err := cluster.JoinHost(within(t), all[4], cluster.Spec{Drivers: cluster.AllDrivers(), Timeout: 50 * time.Millisecond})
	if want := fmt.Sprintf("rank 0 of job %q has not started within 50ms: rank 4 finds", all[4].Job); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("joining without rank 0 returns %v, want %q", err, want)
	}
}

// patiently calls try with times that grow until it returns nil: on a busy machine, processes need
// more of them to find each other. What is wrong stays wrong, and fails the test.
func patiently(t *testing.T, least time.Duration, try func(time.Duration) error) {
	t.Helper()
	const times = 5
	for i := range times {
		err := try(least << i)
		if err == nil {
			return
		}
		if i == times-1 {
			t.Error(err)
			return
		}
		t.Logf("within %v: %v", least<<i, err)
	}
}

// TestJoinDeadline joins with contexts that end before the timeout, of all ranks or of one. The
// errors of all ranks must say which ranks have come.
func TestJoinDeadline(t *testing.T) {
	t.Parallel() // the test mostly waits
	for _, impatient := range []int{-1, 0, 1} {
		for _, hosts := range []bool{false, true} {
			t.Run(fmt.Sprint(impatient, hosts), func(t *testing.T) {
				t.Parallel()
				patiently(t, time.Second, func(limit time.Duration) error { return joinAtDeadline(t, impatient, hosts, limit) })
			})
		}
	}
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		patiently(t, 200*time.Millisecond, func(after time.Duration) error { return joinAndCancel(t, after) })
	})
}

// joinAndCancel joins two ranks of three. The context of rank 0 is cancelled after a time.
func joinAndCancel(t *testing.T, after time.Duration) (wrong error) {
	t.Helper()
	all := places(t, 3)
	ctx, cancel := context.WithCancel(within(t))
	time.AfterFunc(after, cancel)
	_, errs := each(2, func(rank int) (any, error) {
		if rank == 0 {
			return cluster.JoinHost(ctx, all[rank], cluster.Spec{Drivers: cluster.AllDrivers()})
		}
		return cluster.JoinHost(within(t), all[rank], cluster.Spec{Drivers: cluster.AllDrivers()})
	})
	for rank, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "rank 0 stops joining: context canceled: of the 3 ranks of job") || !strings.Contains(err.Error(), "these had joined: 0-1; these had not: 2") {
			wrong = errors.Join(wrong, fmt.Errorf("rank %d: %v", rank, err))
		}
	}
	return wrong
}

// joinAtDeadline joins two ranks of three. The context of the impatient one, or of both, ends after
// limit.
func joinAtDeadline(t *testing.T, impatient int, hosts bool, limit time.Duration) (wrong error) {
	t.Helper()
	all, cfgs := spread(t, 3)
	short, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	_, errs := each(2, func(rank int) (any, error) {
		ctx := within(t)
		if rank == impatient || impatient < 0 {
			ctx = short
		}
		if hosts {
			return cluster.JoinHostsWithAll(ctx, all[rank], cfgs[rank])
		}
		all[rank].Rendezvous = ""
		return cluster.JoinHost(ctx, all[rank], cluster.Spec{Drivers: cluster.AllDrivers(), Timeout: time.Minute})
	})
	for rank, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "these joined in time: 0-1; these did not: 2") {
			wrong = errors.Join(wrong, fmt.Errorf("rank %d: %v", rank, err))
		}
		if own := rank == impatient || impatient < 0; errors.Is(err, context.DeadlineExceeded) != own {
			wrong = errors.Join(wrong, fmt.Errorf("rank %d: that the time is up is %t, want %t: %w", rank, !own, own, err))
		}
	}
	return wrong
}

// TestJoinCancelled cancels ranks that wait for others, and a rank that has not found rank 0.
func TestJoinCancelled(t *testing.T) {
	all := places(t, 3)
	for _, rank := range []int{0, 1} {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(20*time.Millisecond, func() { cancel(errors.New("enough")) })
		start := time.Now()
		_, err := cluster.JoinHost(ctx, all[rank], cluster.Spec{Drivers: cluster.AllDrivers()})
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "enough") {
			t.Errorf("rank %d: %v", rank, err)
		}
		if took := time.Since(start); took > 9*time.Second { // 10 s is the limit of joining
			t.Errorf("rank %d: it took %v", rank, took)
		}
	}
	// The error of the waiting ranks names the rank that was cancelled, after it has said hello.
	ctx, cancel := context.WithCancel(within(t))
	time.AfterFunc(2*time.Second, cancel)
	_, errs := each(2, func(rank int) (*cluster.Host, error) {
		if rank == 1 {
			return cluster.JoinHost(ctx, all[rank], cluster.Spec{Drivers: cluster.AllDrivers()})
		}
		return cluster.JoinHost(within(t), all[rank], cluster.Spec{Drivers: cluster.AllDrivers()})
	})
	if err := errs[1]; !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "cannot reach") {
		t.Errorf("rank 1 has said hello, and gets %v: want the cancelling alone", err)
	}
	if errs[0] == nil || !strings.Contains(errs[0].Error(), "rank 1 (pid") {
		t.Errorf("after rank 1 was cancelled, rank 0 gets %v: want an error that names rank 1", errs[0])
	}
}

// TestJoinAgain joins jobs of the same name in a row, each rank as soon as it has closed.
func TestJoinAgain(t *testing.T) {
	all := places(t, 3)
	_, errs := each(3, func(rank int) (any, error) {
		for range 20 {
			h, err := cluster.JoinHost(within(t), all[rank], cluster.Spec{Drivers: cluster.AllDrivers()})
			if err != nil {
				return nil, err
			}
			if _, err := h.Gather(within(t), nil); err != nil {
				return nil, err
			}
			if err := h.Close(within(t)); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	noErrors(t, errs)
}

// TestJoinPath joins at a socket with a path, which must not exist afterwards.
func TestJoinPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "meet")
	all := places(t, 2)
	hosts, errs := each(2, func(rank int) (*cluster.Host, error) {
		all[rank].Rendezvous = "unix:" + path
		return cluster.JoinHost(within(t), all[rank], cluster.Spec{Drivers: cluster.AllDrivers()})
	})
	noErrors(t, errs)
	noErrors(t, closeHosts(hosts))
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s still exists: %v", path, err)
	}
}

// TestStrangers makes connections that are silent or send garbage. They must not affect ranks
// that join.
func TestStrangers(t *testing.T) {
	name := fmt.Sprintf("@%s-%d", t.Name(), os.Getpid())
	all := places(t, 2)
	for rank := range all {
		all[rank].Rendezvous = "unix:" + name
	}
	first := make(chan error, 1)
	var host *cluster.Host
	go func() {
		var err error
		host, err = cluster.JoinHost(within(t), all[0], cluster.Spec{Drivers: cluster.AllDrivers()})
		first <- err
	}()
	for _, say := range []string{"", "x", strings.Repeat("x", 70<<10), "\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"} {
		var socket *net.UnixConn
		for socket == nil {
			socket, _ = net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: name, Net: "unixpacket"})
		}
		defer socket.Close()
		if say != "" {
			if _, err := socket.Write([]byte(say)); err != nil {
				t.Error(err)
			}
		}
	}
	second, err := cluster.JoinHost(within(t), all[1], cluster.Spec{Drivers: cluster.AllDrivers()})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	noErrors(t, closeHosts([]*cluster.Host{host, second}))
}

// asNobody runs f as another user.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	become := func(euid int) {
		// Package syscall changes the user of all threads; this call changes only the locked
		// thread.
		if _, _, e := syscall.RawSyscall(syscall.SYS_SETRESUID, ^uintptr(0), uintptr(euid), ^uintptr(0)); e != 0 {
			t.Fatal(e)
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	become(65534)
	defer become(0)
	f()
}

// TestOtherUser has processes of another user: one connects to rank 0, and one listens at the
// address of rank 0.
func TestOtherUser(t *testing.T) {
	at := &net.UnixAddr{Name: fmt.Sprintf("@%s-%d", t.Name(), os.Getpid()), Net: "unixpacket"}
	place := cluster.Place{Size: 2, Job: "a", Rendezvous: "unix:" + at.Name}
	cfg := cluster.Spec{Drivers: cluster.AllDrivers(), Timeout: 300 * time.Millisecond}
	asNobody(t, func() {
		first := make(chan error, 1)
		go func() {
			_, err := cluster.JoinHost(within(t), place, cfg)
			first <- err
		}()
		var socket *net.UnixConn
		for socket == nil {
			socket, _ = net.DialUnix("unixpacket", nil, at)
		}
		defer socket.Close()
		if n, err := socket.Read(make([]byte, 100)); err == nil {
			t.Errorf("rank 0 sends %d bytes to another user", n)
		}
		if err := <-first; err == nil || !strings.Contains(err.Error(), "did not: 1 (1 processes of other users were refused)") {
			t.Error(err)
		}
		l, err := net.ListenUnix("unixpacket", at)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for rank := range 2 {
			second := make(chan error, 1)
			go func() { // another thread, which still has the original user
				place.Rank = rank
				_, err := cluster.JoinHost(within(t), place, cluster.Spec{Drivers: cluster.AllDrivers(), Timeout: time.Minute})
				second <- err
			}()
			if err := <-second; err == nil || !strings.Contains(err.Error(), "of user 65534 listens at the address of rank 0") {
				t.Errorf("rank %d: %v", rank, err)
			}
		}
	})
}

func TestBadPlaces(t *testing.T) {
	for _, tt := range []struct {
		place   cluster.Place
		timeout time.Duration
		says    string
	}{
		{cluster.Place{Rank: 1, Size: 1, Job: "a"}, 0, "rank 1 of 1"},
		{cluster.Place{Rank: -1, Size: 1, Job: "a"}, 0, "rank -1 of 1"},
		{cluster.Place{Size: 1<<16 + 1, Job: "a"}, 0, "rank 0 of 65537"},
		{cluster.Place{Size: 2, Rank: 1, Job: "a", Rendezvous: "node0:7946"}, 0, "FAGUS_RENDEZVOUS=node0:7946 is an address"},
		{cluster.Place{Size: 8, LocalSize: 4, Job: "a"}, 0, "only 4 of the job's 8 ranks are on this host"},
		{cluster.Place{Size: 1}, 0, "name has 0 bytes"},
		{cluster.Place{Size: 1, Job: "a"}, -1, "timeout -1ns"},
	} {
		_, err := cluster.JoinHost(t.Context(), tt.place, cluster.Spec{Drivers: cluster.AllDrivers(), Timeout: tt.timeout})
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("joining as %+v returns %v, want %q", tt.place, err, tt.says)
		}
	}
}
