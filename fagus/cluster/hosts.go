package cluster

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/identity"
	"github.com/fagus-dsm/fagus/dimmnet/quic"
	"github.com/fagus-dsm/fagus/dimmnet/tcp"
)

// HostsConfig says how JoinHosts joins. Identity or Insecure is needed unless all is on the
// loopback device.
type HostsConfig struct {
	// Timeout is how long JoinHosts waits for the other ranks, a day at most. 0 means
	// 30 seconds. The shortest of all ranks counts.
	Timeout time.Duration
	// Identity is what this rank proves itself with; IdentityFromEnv reads it.
	Identity *identity.Identity
	// Insecure says that without identities nothing is to be encrypted and everybody to be
	// believed.
	Insecure bool
	// Interface chooses the interface by which this rank is reached, as FAGUS_INTERFACE
	// does (ChooseInterface). Empty: that by which the meeting point is reached.
	Interface string
	// Log gets what memberlist has to say, as Debug. nil: nobody does.
	Log *slog.Logger
}

const defaultHostsTimeout = 30 * time.Second

// Hosts is a rank's membership in a job whose ranks may be on several hosts. It is a
// dimmnet.Member.
//
// Gather and Close are collective: all ranks call the same ones in the same order, and a
// Hosts makes one call at a time. One that has failed stays failed, and so do those of all
// other ranks.
type Hosts struct {
	member
	net    Interface
	gossip *gossip
	roster roster
}

var _ dimmnet.Member = (*Hosts)(nil)

// Spans says whether the ranks of p's job may be on several hosts: they meet at addresses.
func (p Place) Spans() bool {
	return p.Rendezvous != "" && !strings.HasPrefix(p.Rendezvous, unixPrefix)
}

// JoinHosts joins the other ranks of place's job and returns when all have come.
// place.Rendezvous is where any of them can be found. If one has not come in time, if two
// are of one number or one is of another job, epoch, size or version, all ranks that wait get an
// error that says what was seen. From then on those that do not answer any more are
// found out within 2 s (OnLoss).
func JoinHosts(ctx context.Context, place Place, cfg HostsConfig) (*Hosts, error) {
	place.Job = strings.ToValidUTF8(place.Job, "?") // JSON would change it on the way
	if cfg.Timeout == 0 {
		cfg.Timeout = defaultHostsTimeout
	}
	timeout, err := patience(cfg.Timeout)
	if err != nil {
		return nil, err
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if err := cfg.check(place); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout+noticeTimeout)
	defer cancel()
	h := &Hosts{}
	if err := h.join(ctx, place, cfg, timeout); err != nil {
		h.abandon()
		return nil, err
	}
	return h, nil
}

// check says what cannot be right.
func (cfg *HostsConfig) check(place Place) error {
	if err := place.check(); err != nil {
		return err
	}
	if id := cfg.Identity; id != nil && (int(id.Rank()) != place.Rank || id.Size() != place.Size) {
		return fmt.Errorf("cluster: this process is rank %d of %d (%s), and its identity (%s) that of %v", place.Rank, place.Size, place.Source, fagusIdentity, id)
	}
	if !place.Spans() {
		return fmt.Errorf("cluster: where do the ranks of job %.80q meet? Set %s to an address and port of rank 0 (host:port), the same for all", place.Job, fagusRendezvous)
	}
	return nil
}

func (h *Hosts) join(ctx context.Context, place Place, cfg HostsConfig, timeout time.Duration) error {
	deadline := time.Now().Add(timeout)
	meet, err := awaitMeetingPoints(ctx, place.Rendezvous, deadline)
	if err != nil {
		return err
	}
	if h.net, err = ChooseInterface(cfg.Interface, meet); err != nil {
		return err
	}
	if cfg.Identity == nil && !cfg.Insecure && !h.net.Addr.IsLoopback() {
		return fmt.Errorf("cluster: rank %d would be reached at %s, and has no identity: give it one (%s; `fagus launch --hosts` does, `fagus identity` makes them), or say that nothing is to be encrypted (--insecure, %s=1)",
			place.Rank, h.net, fagusIdentity, fagusInsecure)
	}
	own := newHello(place, os.Getpid(), timeout)
	name, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	own.Host = fmt.Sprintf("%.60s, %s", name, h.net.Addr)
	h.begin(place, &netWire{id: cfg.Identity, rank0: h.rank0}, own)
	mine := card{hello: own}
	mine.Job = shorten(own.Job)
	if place.Rank == 0 {
		if h.listener, err = net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(h.net.Addr, 0))); err != nil {
			return fmt.Errorf("cluster: rank 0: %w", err)
		}
		mine.At = h.listener.Addr().String()
	}
	h.roster.own = mine.hello
	if h.gossip, err = newGossip(mine, h.net.Addr, meet, cfg.Identity, cfg.Log, h.suspect); err != nil {
		return err
	}
	return h.assemble(ctx, deadline)
}

// shorten is a job's name, or if it is too long for a card what is as good.
func shorten(job string) string {
	const longest = 64
	if len(job) <= longest {
		return job
	}
	sum := sha256.Sum256([]byte(job))
	return fmt.Sprintf("%.20s... (%x)", job, sum[:8])
}

// awaitMeetingPoints tries until the names of the meeting points are known: those of others may
// come with their processes.
func awaitMeetingPoints(ctx context.Context, rendezvous string, deadline time.Time) (meet []netip.AddrPort, err error) {
	err = retry(ctx, deadline, func() (bool, error) {
		meet, err = MeetingPoints(ctx, rendezvous)
		var unknown *net.DNSError
		return err == nil || !errors.As(err, &unknown), err
	})
	return meet, err
}

// assemble waits until all ranks have come, or something is wrong with those that have.
func (h *Hosts) assemble(ctx context.Context, deadline time.Time) error {
	looking, found := context.WithCancelCause(ctx)
	defer found(nil)
	h.gossip.seek(looking)
	var look sync.WaitGroup
	look.Go(func() {
		tick := time.NewTicker(longestPause)
		defer tick.Stop()
		for {
			if err := h.look(); err != nil {
				found(err) // and so ends what joins
				return
			}
			select {
			case <-tick.C:
			case <-looking.Done():
				return
			}
		}
	})
	join := h.dial
	if h.Rank() == 0 {
		join = h.host
	}
	err := join(looking, deadline)
	if err == nil && h.Size() == 1 {
		// Nobody is waited for, so one of many that are alone by mistake would not notice.
		if rest(looking, 2*settling); looking.Err() != nil {
			err = dimmnet.ContextErr(looking)
		}
	}
	cause := context.Cause(looking)
	found(nil)
	look.Wait()
	if err != nil && cause != nil && ctx.Err() == nil {
		rest(ctx, settling) // the others must see it, too, before this process is gone
		return cause        // what was seen, and not that it ended the joining
	}
	return err
}

// rest waits until ctx is done, for so long at most.
func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// look updates the roster, and says what is wrong with it.
func (h *Hosts) look() error {
	seen, odd := h.gossip.sightings(), h.gossip.strangers()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.roster.update(seen, odd)
	return h.roster.wrong(time.Now())
}

// rank0 is where rank 0 answers.
func (h *Hosts) rank0() (address, who string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, ok := h.roster.rank(0)
	if !ok || c.At == "" {
		return "", "", fmt.Errorf("%v%s", &h.roster, h.gossip.trouble())
	}
	return c.At, c.who(), nil
}

// suspect is called when a process of a rank seems to be gone. It does not wait.
func (h *Hosts) suspect(rank int) {
	h.mu.Lock()
	var peer *peer
	if rank < h.Size() && rank != int(h.Rank()) && len(h.peers) > 0 {
		peer = h.peers[0]
		if h.Rank() == 0 {
			peer = h.peers[rank]
		}
	}
	h.mu.Unlock()
	switch {
	case peer == nil: // it has not joined
	case int(peer.rank) == rank:
		h.confirm(peer, func() bool { return h.gossip.missing(rank) })
	default:
		h.notify(peer, message{kind: kindSuspect, rank: dimmnet.Rank(rank)})
	}
}

// hostsBulk is the bulk memory of a rank on sockets, in bytes: large data are pushed there in
// pieces, straight into place.
const hostsBulk = 16 << 20

// Network is the network of the job's ranks over a transport, the same at all ranks. It
// uses the interfaces and identities by which they have met.
func (h *Hosts) Network(over Transport) dimmnet.Network {
	listen, id := h.net.Addr.String(), h.wire.(*netWire).id
	if over == QUIC {
		return quic.Join(quic.Config{Bulk: hostsBulk, Listen: listen, Identity: id}, h)
	}
	return tcp.Join(tcp.Config{Bulk: hostsBulk, Listen: listen, Identity: id}, h)
}

// Interface is that by which this rank is reached.
func (h *Hosts) Interface() Interface { return h.net }

// Close leaves the job. At rank 0, which is who confirms losses and tells the others, it
// waits until all others have called it, until the job fails, or until ctx is done, which
// fails the job. It returns that failure, unless a call has done so before.
func (h *Hosts) Close(ctx context.Context) error {
	err := h.member.Close(ctx)
	h.gossip.close()
	return err
}

// abandon gives back what a Hosts has that has not joined.
func (h *Hosts) abandon() {
	if h.wire != nil {
		h.release()
	}
	if h.gossip != nil {
		h.gossip.close()
	}
}
