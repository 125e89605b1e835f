//go:build linux

package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus/cluster"
)

// freePort returns a free meeting point on the loopback device.
func freePort(t *testing.T) (address string) {
	t.Helper()
	err := reach.Ports{}.ListenApart(func(port uint16) error {
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
		if err != nil {
			return err
		}
		address = l.Addr().String()
		return l.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// spread returns the places and identities of the ranks of a job that meets at an address.
func spread(t *testing.T, size int) ([]cluster.Place, []cluster.Spec) {
	t.Helper()
	all, specs := places(t, size), make([]cluster.Spec, size)
	authority, err := identity.NewAuthority(size)
	if err != nil {
		t.Fatal(err)
	}
	at := freePort(t)
	for rank := range all {
		all[rank].Rendezvous = at
		if specs[rank].Identity, err = authority.Issue(dimmnet.Rank(rank)); err != nil {
			t.Fatal(err)
		}
	}
	return all, specs
}

// insecure replaces the identities in specs by the permission to have none.
func insecure(specs []cluster.Spec) {
	for rank := range specs {
		specs[rank] = cluster.Spec{Drivers: cluster.AllDrivers(), Insecure: true}
	}
}

func joinHosts(t *testing.T, all []cluster.Place, specs []cluster.Spec) ([]*cluster.Hosts, []error) {
	return each(len(all), func(i int) (*cluster.Hosts, error) { return cluster.JoinHostsWithAll(within(t), all[i], specs[i]) })
}

// TestHosts gathers blobs of all sizes, with and without identities.
func TestHosts(t *testing.T) {
	for _, secure := range []bool{true, false} {
		all, specs := spread(t, 5)
		if !secure {
			insecure(specs)
		}
		hosts, errs := joinHosts(t, all, specs)
		noErrors(t, errs)
		for _, size := range []int{0, 1, 70 << 10, 1 << 20} {
			blobs, errs := each(len(hosts), func(rank int) ([][]byte, error) {
				own := make([]byte, size)
				for i := range own {
					own[i] = byte(i * (rank + 1))
				}
				return hosts[rank].Gather(within(t), own)
			})
			noErrors(t, errs)
			for rank := range blobs {
				for from, b := range blobs[rank] {
					if len(b) != size || size > 0 && b[size-1] != byte((size-1)*(from+1)) {
						t.Fatalf("rank %d received %d bytes from rank %d: want %d, the last one %d", rank, len(b), from, size, byte((size-1)*(from+1)))
					}
				}
			}
		}
		noErrors(t, closeHosts(hosts))
	}
}

// wrongJob joins processes that do not form one job. Every process must soon get an error that
// contains the given texts.
func wrongJob(t *testing.T, all []cluster.Place, specs []cluster.Spec, says ...string) {
	t.Helper()
	if err := wrongJobSays(t, all, specs, says...); err != nil {
		t.Error(err)
	}
}

// wrongJobSays returns what is wrong with the errors of the processes. They must not come only when
// the time of the joining is up, which is 30 s or more.
func wrongJobSays(t *testing.T, all []cluster.Place, specs []cluster.Spec, says ...string) (wrong error) {
	t.Helper()
	start := time.Now()
	hosts, errs := joinHosts(t, all, specs)
	if took := time.Since(start); took > 29*time.Second {
		wrong = fmt.Errorf("the processes got their errors only after %v", took)
	}
	for i, err := range errs {
		if err == nil {
			_ = hosts[i].Close(t.Context()) // not reached if the test passes
		}
		for _, want := range says {
			if err == nil || !strings.Contains(err.Error(), want) {
				wrong = errors.Join(wrong, fmt.Errorf("process %d, as rank %d of %d, gets error %v, want %q", i, all[i].Rank, all[i].Size, err, want))
			}
		}
	}
	return wrong
}

func TestHostsRefuse(t *testing.T) {
	longtest.Third(t)
	t.Parallel() // the test mostly waits
	process := fmt.Sprintf("pid %d on ", os.Getpid())
	t.Run("two of rank 2", func(t *testing.T) {
		all, specs := spread(t, 4)
		all[3], specs[3] = all[2], specs[2]
		wrongJob(t, all, specs, "two processes are rank 2 of job", process, "127.0.0.1")
	})
	t.Run("all of rank 0", func(t *testing.T) {
		all, specs := spread(t, 3)
		all[1], all[2], specs[1], specs[2] = all[0], all[0], specs[0], specs[0]
		wrongJob(t, all, specs, "two processes are rank 0 of job", process)
	})
	t.Run("another size", func(t *testing.T) {
		all, specs := spread(t, 3)
		insecure(specs)
		all[2].Size = 5
		wrongJob(t, all, specs, "rank 2 (", "of a job of ", " ranks, but rank ", process)
	})
	t.Run("another job", func(t *testing.T) {
		all, specs := spread(t, 3)
		all[1].Job = "other"
		wrongJob(t, all, specs, `job "other"`, process)
	})
	t.Run("another epoch", func(t *testing.T) {
		all, specs := spread(t, 3)
		all[1].Epoch = 7
		wrongJob(t, all, specs, "of epoch 7", "of epoch 0", process)
	})
	t.Run("another network", func(t *testing.T) {
		all, specs := spread(t, 3)
		specs[0].Net, specs[1].Net = cluster.TCP, cluster.QUIC // rank 2 does not say its network
		wrongJob(t, all, specs, "uses the network ", `"quic"`, `"tcp"`, "set FAGUS_NET to the same on all ranks", process)
	})
	t.Run("a singleton", func(t *testing.T) {
		all, specs := spread(t, 1)
		first, err := cluster.JoinHostsWithAll(within(t), all[0], specs[0])
		if err != nil {
			t.Fatal(err)
		}
		wrongJob(t, all, specs, "two processes are rank 0 of job")
		noErrors(t, closeHosts([]*cluster.Hosts{first}))
	})
}

// TestHostsMissing checks that the error names the missing ranks, with and without rank 0.
func TestHostsMissing(t *testing.T) {
	t.Parallel() // the test mostly waits
	for name, ranks := range map[string][]int{"with rank 0": {0, 2}, "without": {1, 2}} {
		want := "these did not: 1, 3"
		if ranks[0] != 0 {
			want = "these were not: 0, 3"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patiently(t, 2*time.Second, func(timeout time.Duration) error {
				all, specs := spread(t, 4)
				var come []cluster.Place
				var with []cluster.Spec
				for _, r := range ranks {
					specs[r].Timeout = timeout
					come, with = append(come, all[r]), append(with, specs[r])
				}
				return wrongJobSays(t, come, with, want)
			})
		})
	}
}

// TestHostsStrangers checks that a process with an identity of another job cannot join, whether
// it is first at the meeting point or not.
func TestHostsStrangers(t *testing.T) {
	t.Parallel() // the test mostly waits
	all, specs := spread(t, 2)
	_, others := spread(t, 2)
	specs[0].Timeout, others[1].Timeout = 2*time.Second, 2*time.Second
	wrongJob(t, all, []cluster.Spec{specs[0], others[1]}, "another key", "FAGUS_IDENTITY")
}

// TestHostsKeys checks that a process that meets processes with another key gets an error before
// the timeout.
func TestHostsKeys(t *testing.T) {
	longtest.Third(t)
	t.Parallel() // the test mostly waits
	const theirs, none = "of another job, or they have no identity", "they have identities, but this rank has none"
	for _, c := range []struct {
		there, here bool // processes at the meeting point, and new process: has an identity
		says        string
	}{
		{true, true, theirs},
		{false, true, theirs},
		{true, false, none},
	} {
		there, keys := spread(t, 1)
		here, ours := spread(t, 2)
		if !c.there {
			insecure(keys)
		}
		if !c.here {
			insecure(ours)
		}
		hosts, errs := joinHosts(t, there, keys)
		noErrors(t, errs)
		here[1].Rendezvous = there[0].Rendezvous
		wrongJob(t, here[1:], ours[1:], "FAGUS_RENDEZVOUS", "FAGUS_IDENTITY", "use another key: ", c.says)
		noErrors(t, closeHosts(hosts))
	}
}

// TestSpecOfHosts checks that JoinHosts reports an invalid configuration at once.
func TestSpecOfHosts(t *testing.T) {
	all, specs := spread(t, 2)
	for says, try := range map[string]func() (cluster.Place, cluster.Spec){
		"its identity (FAGUS_IDENTITY) is that of rank 1 of 2": func() (cluster.Place, cluster.Spec) { return all[0], specs[1] },
		": set FAGUS_RENDEZVOUS": func() (cluster.Place, cluster.Spec) {
			p := all[0]
			p.Rendezvous = ""
			return p, specs[0]
		},
		"want host:port": func() (cluster.Place, cluster.Spec) {
			p := all[0]
			p.Rendezvous = "nowhere"
			return p, specs[0]
		},
		"rank 0 at 127.0.0.1 (lo) has no identity: set FAGUS_IDENTITY": func() (cluster.Place, cluster.Spec) { return all[0], cluster.Spec{Drivers: cluster.AllDrivers()} },
		"FAGUS_INTERFACE=nosuch": func() (cluster.Place, cluster.Spec) {
			return all[0], cluster.Spec{Drivers: cluster.AllDrivers(), Interface: "nosuch", Insecure: true}
		},
		"libfabric encrypts nothing": func() (cluster.Place, cluster.Spec) {
			cfg := specs[0]
			cfg.Net = cluster.OFI
			return all[0], cfg
		},
	} {
		place, cfg := try()
		if _, err := cluster.JoinHostsWithAll(within(t), place, cfg); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("JoinHosts returns %v, want %q", err, says)
		}
	}
}

// TestHostsCancelled checks that JoinHosts returns when its context ends.
func TestHostsCancelled(t *testing.T) {
	all, specs := spread(t, 2)
	for rank := range all {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(50*time.Millisecond, func() { cancel(errors.New("enough")) })
		if _, err := cluster.JoinHostsWithAll(ctx, all[rank], specs[rank]); err == nil || !strings.Contains(err.Error(), "enough") {
			t.Errorf("JoinHosts of rank %d returns %v, want the cause of the cancellation", rank, err)
		}
	}
}
