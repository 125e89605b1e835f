package cluster

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/cluster/pmi"
)

const (
	// fagusJoin says how ranks join: joinPMI, or empty for what suits the transport.
	fagusJoin = "FAGUS_JOIN"
	joinPMI   = "pmi" // through the launcher's key-value store (JoinLauncher)
	// pmiDescriptor is the variable in which package pmi finds the launcher's socket.
	pmiDescriptor = "PMI_FD"
)

func (e environment) joinsByLauncher() (bool, error) {
	switch v := e.get(fagusJoin); v {
	case "":
		// A fabric connects the ranks by itself, so that the job needs no port at all.
		return e.get(fagusNet) == OFI.String() && pmi.Offered(e.lookup), nil
	case joinPMI:
		return true, nil
	default:
		return false, fmt.Errorf("cluster: %s=%.40q: want %s or an empty value", fagusJoin, v, joinPMI)
	}
}

// Launched is the membership of one rank in a job whose ranks join through the key-value store of
// their launcher. It implements dimmnet.Member.
//
// Gather is collective: all ranks make the same calls in the same order, one at a time. When one
// fails, every later call fails. The loss of another rank is not noticed here: Hydra kills the job,
// and the network between the ranks detects the end of a connection.
type Launched struct {
	*client
	place Place
	spec  Spec
	net   Interface // zero if all ranks are on this host
}

// client is an alias: Launched has the methods of the Client, but no exported field.
type client = pmi.Client

var _ Job = (*Launched)(nil)

// JoinLauncher joins the other ranks of place's job through the launcher that started this process
// (package pmi), and returns when all ranks have joined. It needs no rendezvous and opens no port.
// If place has no name of the job, the name of the launcher's store is used.
//
// Ranks of several hosts need spec.Identity or spec.Insecure, because the launcher may pass their
// addresses on without encryption. If place says that all ranks are on this host, and spec has no
// Interface, they connect over loopback and need neither.
func JoinLauncher(ctx context.Context, place Place, spec Spec) (*Launched, error) {
	timeout, err := patience(ctx, spec.Timeout, defaultHostsTimeout)
	if err != nil {
		return nil, err
	}
	if spec.Net == SHM {
		return nil, fmt.Errorf("cluster: joining through the launcher: the network is %q: want %v, %v or %v", spec.Net.String(), TCP, QUIC, OFI)
	}
	if err := spec.CheckDrivers(false); err != nil {
		return nil, err
	}
	h := &Launched{place: place, spec: spec}
	if err := h.findInterface(); err != nil {
		return nil, err
	}
	deadline := time.Now().Add(timeout)
	joining, cancel := context.WithDeadlineCause(ctx, deadline,
		fmt.Errorf("rank %d has waited %v for the launcher and all %d ranks", place.Rank, timeout.Round(time.Millisecond), place.Size))
	defer cancel()
	if h.client, err = pmi.Open(joining, os.LookupEnv); err != nil {
		return nil, atDeadline(ctx, deadline, fmt.Errorf("cluster: joining through the launcher: %w", err))
	}
	if err = h.join(joining, deadline); err != nil {
		_ = h.client.Close(joining) // the first error says more
		return nil, atDeadline(ctx, deadline, err)
	}
	return h, nil
}

// findInterface sets h.net, and checks whether the data on it may be unencrypted.
func (h *Launched) findInterface() (err error) {
	if h.place.Size == h.place.LocalSize && h.spec.Interface == "" {
		return nil
	}
	if h.net, err = OuterInterface(h.spec.Interface, netip.Addr{}); err != nil {
		return err
	}
	return h.spec.checkClear(h.place, h.net, "`fagus identity` creates identities")
}

// join exchanges hellos with all ranks, and checks them.
func (h *Launched) join(ctx context.Context, deadline time.Time) error {
	if h.place.Job == "" {
		h.place.Job = h.client.Job()
	}
	h.place.Job = strings.ToValidUTF8(h.place.Job, "?") // JSON encoding would replace invalid bytes
	if err := h.place.check(); err != nil {
		return err
	}
	if int(h.Rank()) != h.place.Rank || h.Size() != h.place.Size {
		return fmt.Errorf("cluster: this process is rank %d of %d (%s), but rank %d of %d for its launcher (PMI): unset the variables of another launcher",
			h.place.Rank, h.place.Size, h.place.Source, h.Rank(), h.Size())
	}
	if err := h.spec.checkIdentity(h.place); err != nil {
		return err
	}
	own, err := h.spec.hello(h.place, h.net, deadline)
	if err != nil {
		return err
	}
	m, err := own.message()
	if err != nil {
		return err
	}
	all, err := h.client.Gather(ctx, m.body)
	if err != nil {
		return fmt.Errorf("cluster: joining through the launcher: %w", err)
	}
	if err := checkHellos(all); err != nil {
		return err
	}
	if h.Rank() == 0 && h.net != (Interface{}) && h.spec.Identity == nil {
		warn(fmt.Sprintf("job %.80q is insecure: its data are not encrypted, and whoever reads what the launcher sends between hosts can become one of its ranks", h.place.Job))
	}
	return nil
}

// checkHellos returns an error if a rank is not of the job of rank 0. It is the same at all ranks.
func checkHellos(all [][]byte) error {
	var first hello
	for rank, body := range all {
		h, err := readHello(body)
		if err != nil {
			return fmt.Errorf("cluster: joining through the launcher, rank %d: %w", rank, err)
		}
		if rank == 0 {
			first = h
		}
		if err := h.check(first); err != nil {
			return err
		}
		if h.Rank != rank || h.Size != len(all) {
			return fmt.Errorf("cluster: joining through the launcher: %s of %d says that it is rank %d of %d", h.process(), len(all), h.Rank, h.Size)
		}
	}
	return nil
}

// Gather sends own, at most 1 MiB, to all ranks and returns the bytes of all ranks, indexed by
// rank. It is collective: it returns when all ranks have called it, when ctx is done, or when the
// launcher has ended.
func (h *Launched) Gather(ctx context.Context, own []byte) ([][]byte, error) {
	all, err := h.client.Gather(ctx, own)
	return all, h.failed(err)
}

func (h *Launched) failed(err error) error {
	if err == nil {
		return nil
	}
	return &Failed{Rank: h.Rank(), Why: "cluster: " + err.Error(), cause: err}
}

// Network returns the network that carries the job's data: TCP, QUIC or OFI, with the identities
// with which the ranks joined.
func (h *Launched) Network() dimmnet.Network { return h.spec.network(h, h.place, h.net, warn) }

// Close leaves the job. It does not wait for the other ranks.
func (h *Launched) Close(ctx context.Context) error { return h.failed(h.client.Close(ctx)) }
