package cluster

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

const defaultHostsTimeout = 30 * time.Second

// Hosts is the membership of one rank in a job on several hosts. It implements dimmnet.Member.
//
// Gather and Close are collective: all ranks make the same calls in the same order, one at a time.
// When one fails, the job has failed at every rank, and every later call fails.
type Hosts struct {
	member
	net    Interface
	gossip *gossip
	roster roster
}

var _ dimmnet.Member = (*Hosts)(nil)

// Spans reports whether the job may be on several hosts: its ranks meet at a network address, or
// join through their launcher.
func (p Place) Spans() bool {
	return p.ByLauncher || p.Rendezvous != "" && !strings.HasPrefix(p.Rendezvous, unixPrefix)
}

// JoinHosts joins the other ranks of place's job and returns when all ranks have joined.
// place.Rendezvous has one or more addresses at which some of the processes can be found. Every
// waiting rank gets an error if a rank is late, if two processes have the same rank, or if a
// process is of another job, epoch, size or version. After JoinHosts returns, a rank that does not
// answer for Stall is lost (OnLoss).
func JoinHosts(ctx context.Context, place Place, spec Spec) (*Hosts, error) {
	place.Job = strings.ToValidUTF8(place.Job, "?") // JSON encoding would replace invalid bytes
	timeout, err := patience(ctx, spec.Timeout, defaultHostsTimeout)
	if err != nil {
		return nil, err
	}
	if spec.Log == nil {
		spec.Log = slog.New(slog.DiscardHandler)
	}
	if err := cmp.Or(place.check(), spec.checkIdentity(place), spec.CheckDrivers(true)); err != nil {
		return nil, err
	}
	if !place.Spans() {
		return nil, fmt.Errorf("cluster: job %.80q has no rendezvous: set %s to an address and port of rank 0 (host:port), the same for all ranks", place.Job, fagusRendezvous)
	}
	deadline := time.Now().Add(timeout)
	joining, cancel := context.WithDeadline(ctx, deadline.Add(noticeTimeout))
	defer cancel()
	h := &Hosts{}
	if err := h.join(joining, place, spec, deadline); err != nil {
		h.abandon()
		return nil, atDeadline(ctx, deadline, err)
	}
	return h, nil
}

func (h *Hosts) join(ctx context.Context, place Place, spec Spec, deadline time.Time) error {
	meet, err := awaitMeetingPoints(ctx, place.Rendezvous, deadline)
	if err != nil {
		return err
	}
	if name, at := loopbackName(place.Rendezvous, meet); name != "" {
		warn(fmt.Sprintf("the meeting point %s is %s here, which no other host can reach: mend /etc/hosts, or give an address in %s", name, at, fagusRendezvous))
	}
	if h.net, err = ChooseInterface(spec.Interface, meet); err != nil {
		return err
	}
	if err := spec.checkClear(place, h.net, "`fagus identity` creates identities, and `fagus launch --hosts` does so by itself"); err != nil {
		return err
	}
	switch {
	case place.Rank != 0:
	case spec.Identity == nil:
		warn(fmt.Sprintf("job %.80q is insecure: whoever reaches %s can become one of its ranks, and its data are not encrypted", place.Job, place.Rendezvous))
	case spec.Net == OFI:
		warn(fmt.Sprintf("the data of job %.80q are not encrypted: --net %v", place.Job, OFI))
	}
	own, err := spec.hello(place, h.net, deadline)
	if err != nil {
		return err
	}
	h.begin(place, spec, &netWire{id: spec.Identity, rank0: h.rank0}, own)
	mine := announcement{hello: own}
	mine.Job, mine.Build = shorten(own.Job, 64), shorten(own.Build, 120)
	if place.Rank == 0 {
		if err = spec.Ports.Listen(func(port uint16) (err error) {
			if slices.ContainsFunc(meet, func(a netip.AddrPort) bool { return a.Port() == port }) {
				return syscall.EADDRINUSE // memberlist needs it
			}
			h.listener, err = net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(h.net.Addr, port)))
			return err
		}); err != nil {
			return fmt.Errorf("cluster: listening as rank 0: %w", err)
		}
		mine.At = h.listener.Addr().String()
	}
	h.roster.own = mine.hello
	if h.gossip, err = newGossip(mine, h.net.Addr, meet, spec, h.suspect); err != nil {
		return err
	}
	h.refusals = h.gossip.refusals
	return h.assemble(ctx, deadline)
}

// loopbackName returns the meeting point if it is the name of a host, but stands for a loopback
// address: Debian gives 127.0.1.1 to the name of each host in its own /etc/hosts.
func loopbackName(rendezvous string, meet []netip.AddrPort) (name string, at netip.Addr) {
	host, _, err := net.SplitHostPort(rendezvous)
	if err != nil || host == "localhost" {
		return "", at // several meeting points
	}
	if _, err := netip.ParseAddr(host); err == nil || len(meet) == 0 || !meet[0].Addr().IsLoopback() {
		return "", at
	}
	return rendezvous, meet[0].Addr()
}

// shorten cuts a text that is too long for an announcement to a prefix and a hash.
func shorten(text string, longest int) string {
	const hash = len("... (0123456789abcdef)")
	if len(text) <= longest {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%.*s... (%x)", longest-hash, text, sum[:8])
}

// awaitMeetingPoints resolves the rendezvous until its names are known: a cluster may create the
// DNS name of a host together with its process.
func awaitMeetingPoints(ctx context.Context, rendezvous string, deadline time.Time) (meet []netip.AddrPort, err error) {
	err = retry(ctx, deadline, func() (bool, error) {
		meet, err = MeetingPoints(ctx, rendezvous)
		var unknown *net.DNSError
		return err == nil || !errors.As(err, &unknown), err
	})
	return meet, err
}

// assemble waits until all ranks have joined, or until the roster shows an error.
func (h *Hosts) assemble(ctx context.Context, deadline time.Time) error {
	joining, found := context.WithCancelCause(ctx)
	defer found(nil)
	h.gossip.seek(joining)
	var watcher sync.WaitGroup
	watcher.Go(func() {
		tick := time.Tick(longestPause)
		for {
			if err := h.updateRoster(); err != nil {
				found(err) // cancels the joining
				return
			}
			select {
			case <-tick:
			case <-joining.Done():
				return
			}
		}
	})
	join := h.dial
	if h.Rank() == 0 {
		join = h.host
	}
	err := join(joining, deadline)
	if err == nil && h.Size() == 1 {
		// Look for other processes that are jobs of one rank by mistake.
		if rest(joining, 2*settling); joining.Err() != nil {
			err = dimmnet.ContextErr(joining)
		}
	}
	var lost *Failed
	if errors.As(err, &lost) && joining.Err() == nil {
		rest(joining, settling) // the roster may show soon why a rank has left
	}
	cause := context.Cause(joining)
	found(nil)
	watcher.Wait()
	if err == nil || cause == nil || ctx.Err() != nil {
		return err
	}
	if cause == h.roster.mismatch { // which is true of this process only
		rest(ctx, settling) // stay visible until the other processes have seen this one
	} else {
		h.gossip.tell(ctx, cause, h.Size())
	}
	return cause // the error of the roster, not the cancellation that it caused
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

func (h *Hosts) updateRoster() error {
	seen, mismatch, told := h.gossip.sightings(), h.gossip.keyMismatch(), h.gossip.reason()
	h.mu.Lock()
	defer h.mu.Unlock()
	if told != nil {
		return told // its sender has waited for the settling time
	}
	h.roster.update(seen, mismatch)
	return h.roster.wrong(time.Now())
}

func (h *Hosts) rank0() (address, process string, err error) {
	// Before the lock of h: the gossip calls h under its own lock to report a rank that is gone.
	failure, refusals := h.gossip.lastFailure(), h.gossip.refusals()
	h.mu.Lock()
	defer h.mu.Unlock()
	c, ok := h.roster.rank(0)
	if !ok || c.At == "" {
		return "", "", fmt.Errorf("%v%s%s", &h.roster, failure, refusals)
	}
	return c.At, c.process(), nil
}

// suspect handles memberlist's report that a rank seems to be gone. It returns at once.
func (h *Hosts) suspect(rank int) {
	var peer *peer
	if rank < h.Size() && rank != int(h.Rank()) {
		peer = h.towards(uint32(rank))
	}
	switch {
	case peer == nil: // the rank has not joined, or has left
	case int(peer.rank) == rank:
		h.confirm(peer, func() bool { return h.gossip.missing(rank) }, h.alone)
	default:
		h.notify(peer, message{kind: kindSuspect, rank: dimmnet.Rank(rank)})
	}
}

// alone reports whether all of several other ranks seem to be gone.
func (h *Hosts) alone() bool {
	for rank := range h.Size() {
		if rank != int(h.Rank()) && !h.gossip.missing(rank) {
			return false
		}
	}
	return h.Size() > 2
}

// Network returns the network that carries the job's data, with the interfaces and identities with
// which the ranks joined.
func (h *Hosts) Network() dimmnet.Network { return h.spec.network(h, h.place, h.net, warn) }

// warn prints a warning for the user.
func warn(text string) { fmt.Fprintln(os.Stderr, "fagus: warning:", text) }

// Close leaves the job, as Host.Close does.
func (h *Hosts) Close(ctx context.Context) error {
	err := h.member.Close(ctx)
	h.gossip.close()
	return err
}

// abandon frees the resources of a Hosts that has not joined.
func (h *Hosts) abandon() {
	if h.wire != nil {
		h.shutdown()
	}
	if h.gossip != nil {
		h.gossip.close()
	}
}
