//go:build linux

package cluster_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/fagus/cluster"
)

const nobody = 65534

// TestIntruder has a process of another user that claims to be rank 1 of a job which meets at a
// loopback address without identities, before the genuine rank 1 comes. The job runs without it.
func TestIntruder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can start a process of another user")
	}
	dir, err := os.MkdirTemp("", "intruder") // not t.TempDir, which only this user can enter
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "rank")
	self, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(binary, self, 0o755)
	}
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	at := freePort(t)
	rank := func(rank int, user *syscall.Credential, env ...string) *process {
		cmd := exec.CommandContext(within(t), binary)
		cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Credential: user}
		cmd.Env = append(os.Environ(), childBody+"=1000", "FAGUS_SIZE=2", "FAGUS_JOB=bank", "FAGUS_RENDEZVOUS="+at, fmt.Sprintf("FAGUS_RANK=%d", rank))
		return startProcess(t, cmd, env...)
	}
	other := &syscall.Credential{Uid: nobody, Gid: nobody}
	first := rank(0, nil)
	intruders := []*process{rank(1, other), rank(1, other, "FAGUS_INSECURE=1")}
	socket := fmt.Sprintf("@fagus-0-port-%s", at[strings.LastIndex(at, ":")+1:])
	hello, err := cluster.HelloPacket(cluster.Place{Rank: 1, Size: 2, Job: "bank"}, os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() { // a third one knows the socket of the job, and what rank 1 says there
		for deadline := time.Now().Add(soon); ; {
			c, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: socket, Net: "unixpacket"})
			if err == nil {
				defer c.Close()
				_, _ = c.Write(hello) // rank 0 may have closed the connection
				if n, err := c.Read(make([]byte, 100)); err == nil {
					t.Errorf("rank 0 sends %d bytes to another user", n)
				}
				return
			}
			if time.Now().After(deadline) {
				t.Error(err)
				return
			}
		}
	})
	second := rank(1, nil)
	for i, p := range []*process{first, second} {
		p.runs(t)
		if output, err := p.end(); err != nil || output != "" {
			t.Errorf("rank %d: %v: %s", i, err, output)
		}
	}
	for _, p := range intruders {
		_ = p.cmd.Process.Kill() // it may still be waiting for a job that has ended without it
		printed, err := io.ReadAll(p.stdout)
		if output, _ := p.end(); err != nil || len(printed) > 0 {
			t.Errorf("the intruder prints %q, %v: it has run as a rank: %s", printed, err, output)
		}
	}
}

// TestJoin checks which of its ways Join takes.
func TestJoin(t *testing.T) {
	t.Parallel() // the test mostly waits
	authority, err := identity.NewAuthority(1)
	if err != nil {
		t.Fatal(err)
	}
	id, err := authority.Issue(0)
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(freePort(t))
	if err != nil {
		t.Fatal(err)
	}
	own := fmt.Sprint(t.Name(), os.Getpid()) // no other process that runs this test has this name
	for _, c := range []struct {
		rendezvous string
		cfg        cluster.Spec
		want       string
	}{
		{"", cluster.Spec{Drivers: cluster.AllDrivers()}, "*cluster.Host"},
		{"unix:@" + own, cluster.Spec{Drivers: cluster.AllDrivers()}, "*cluster.Host"},
		{"127.0.0.1:" + port, cluster.Spec{Drivers: cluster.AllDrivers()}, "*cluster.Host"},
		{"localhost:" + port, cluster.Spec{Drivers: cluster.AllDrivers()}, "*cluster.Host"},
		{"127.0.0.1:" + port, cluster.Spec{Drivers: cluster.AllDrivers(), Identity: id}, "*cluster.Hosts"},
		{"127.0.0.1:" + port, cluster.Spec{Drivers: cluster.AllDrivers(), Insecure: true}, "*cluster.Hosts"},
		{"127.0.0.1:" + port, cluster.Spec{Drivers: cluster.AllDrivers(), Interface: "lo"}, "has no identity"},
		{"192.0.2.1:" + port, cluster.Spec{Drivers: cluster.AllDrivers(), Timeout: time.Second}, "cluster: "},
	} {
		place := cluster.Place{Size: 1, Job: own, Rendezvous: c.rendezvous}
		job, err := cluster.JoinWithAll(within(t), place, c.cfg)
		got := fmt.Sprintf("%T", job)
		if err != nil {
			got = err.Error()
		} else {
			noErrors(t, []error{job.Close(within(t))})
		}
		if !strings.Contains(got, c.want) || err == nil && got != c.want {
			t.Errorf("Join at %q with %+v: %s, want %s", c.rendezvous, c.cfg, got, c.want)
		}
	}
}

// TestJoinTwoNames has ranks that give the meeting point different names.
func TestJoinTwoNames(t *testing.T) {
	_, port, err := net.SplitHostPort(freePort(t))
	if err != nil {
		t.Fatal(err)
	}
	jobs, errs := each(2, func(rank int) (cluster.Job, error) {
		place := cluster.Place{Rank: rank, Size: 2, Job: fmt.Sprint(t.Name(), os.Getpid()), Rendezvous: []string{"127.0.0.1:", "localhost:"}[rank] + port}
		return cluster.Join(within(t), place, cluster.Spec{Drivers: cluster.AllDrivers()})
	})
	noErrors(t, errs)
	_, errs = each(2, func(rank int) (any, error) {
		if jobs[rank].Rank() != dimmnet.Rank(rank) {
			return nil, fmt.Errorf("it is rank %d", jobs[rank].Rank())
		}
		return nil, jobs[rank].Close(within(t))
	})
	noErrors(t, errs)
}
