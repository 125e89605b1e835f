package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/fagus-dsm/fagus/dimmnet/identity"
)

// gossip finds the other processes of a job, and suspects those that do not answer.
type gossip struct {
	list  *memberlist.Memberlist
	card  []byte
	own   netip.AddrPort   // where it is
	meet  []netip.AddrPort // where others may be found
	seeds sync.WaitGroup   // the goroutine that looks there
	gone  func(rank int)   // called when a process seems to be gone

	proves bool // it has an identity

	mu    sync.Mutex          // guards what follows
	seen  map[string]sighting // by the name that memberlist knows
	quiet bool                // nobody is called any more
	last  error               // why nobody was found where others meet
}

// The intervals are those of a LAN: a process that does not answer is noticed within some
// 300 ms. That it may only be slow does not matter: it is asked before it is given up.
const (
	probeInterval = 80 * time.Millisecond
	probeTimeout  = 50 * time.Millisecond
	streamTimeout = time.Second
	syncInterval  = 5 * time.Second
	seekPause     = 100 * time.Millisecond
)

// newGossip starts at one of the meeting points that is an address of this host and
// free, or else at any port of its address.
func newGossip(own card, at netip.Addr, meet []netip.AddrPort, id *identity.Identity, log *slog.Logger, gone func(rank int)) (*gossip, error) {
	g := &gossip{meet: meet, gone: gone, proves: id != nil, seen: map[string]sighting{}}
	var err error
	if g.card, err = json.Marshal(own); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if len(g.card) > memberlist.MetaMaxSize {
		return nil, fmt.Errorf("cluster: %s would need %d bytes to introduce itself: %d are the most", own.who(), len(g.card), memberlist.MetaMaxSize)
	}
	local, err := Interfaces()
	if err != nil {
		return nil, err
	}
	places := slices.DeleteFunc(slices.Clone(meet), func(a netip.AddrPort) bool {
		return !slices.ContainsFunc(local, func(i Interface) bool { return i.Addr == a.Addr() })
	})
	for _, place := range append(places, netip.AddrPortFrom(at, 0)) {
		var failure error
		c := g.config(own, place, id, log)
		if g.list, failure = memberlist.Create(c); failure == nil {
			g.own = netip.AddrPortFrom(place.Addr(), uint16(c.BindPort))
			return g, nil
		}
		err = errors.Join(err, fmt.Errorf("cluster: at %s: %w", place, failure))
	}
	return nil, err
}

func (g *gossip) config(own card, place netip.AddrPort, id *identity.Identity, log *slog.Logger) *memberlist.Config {
	c := memberlist.DefaultLANConfig()
	c.Name = fmt.Sprintf("rank %d, %s, since %d", own.Rank, own.who(), time.Now().UnixNano())
	c.BindAddr, c.BindPort = place.Addr().String(), int(place.Port())
	c.AdvertiseAddr, c.AdvertisePort = c.BindAddr, c.BindPort
	c.ProbeInterval, c.ProbeTimeout = probeInterval, probeTimeout
	c.GossipInterval = probeInterval
	c.SuspicionMult = 1          // the process itself is asked, so others need not agree
	c.AwarenessMaxMultiplier = 1 // for the same reason
	c.TCPTimeout, c.PushPullInterval = streamTimeout, syncInterval
	c.LogOutput, c.Logger = nil, slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	if id != nil {
		c.SecretKey = id.Key("gossip")
	}
	c.Delegate, c.Events = g, g
	return c
}

// seek looks for others at the meeting points until ctx ends.
func (g *gossip) seek(ctx context.Context) {
	var others []string
	for _, a := range g.meet {
		if a != g.own {
			others = append(others, a.String())
		}
	}
	if len(others) == 0 {
		return
	}
	g.seeds.Go(func() {
		for ctx.Err() == nil {
			_, err := g.list.Join(others)
			g.mu.Lock()
			g.last = err
			g.mu.Unlock()
			timer := time.NewTimer(seekPause)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
			}
		}
	})
}

// strangers says that who answers where others meet, at every place of it, has another key, or
// none, or one where this process has none. They could be of an earlier job.
func (g *gossip) strangers() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.last == nil {
		return nil
	}
	places, strange := 0, 0
	for _, a := range g.meet {
		if a != g.own {
			places++
		}
	}
	for _, words := range []string{ // of memberlist, which has no errors for them
		"no installed keys could decrypt the message",
		"remote state is encrypted and encryption is not configured",
		"encryption is configured but remote state is not encrypted",
	} {
		strange += strings.Count(g.last.Error(), words)
	}
	if strange < places {
		return nil
	}
	own := "this rank's identity is of another job than theirs, or they have none"
	if !g.proves {
		own = "they have identities, and this rank has none"
	}
	return fmt.Errorf("cluster: the processes at the meeting point (%s) speak with another key: %s (%s)", fagusRendezvous, own, fagusIdentity)
}

// trouble is why nobody is found, as far as that is known.
func (g *gossip) trouble() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.last == nil {
		return ""
	}
	return "; " + strings.Join(strings.Fields(text([]byte(g.last.Error()))), " ")
}

// sightings are the processes that answer, in no order.
func (g *gossip) sightings() []sighting {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Values(g.seen))
}

// missing says whether a rank is not among those that answer.
func (g *gossip) missing(rank int) bool {
	return !slices.ContainsFunc(g.sightings(), func(s sighting) bool { return s.err == nil && s.Rank == rank })
}

// close leaves without a word.
func (g *gossip) close() {
	g.mu.Lock()
	g.quiet = true
	g.mu.Unlock()
	g.seeds.Wait()
	_ = g.list.Shutdown() // which closes sockets of its own
}

// NodeMeta is called by memberlist.
func (g *gossip) NodeMeta(int) []byte { return g.card }

// NotifyMsg is called by memberlist.
func (g *gossip) NotifyMsg([]byte) {}

// GetBroadcasts is called by memberlist.
func (g *gossip) GetBroadcasts(int, int) [][]byte { return nil }

// LocalState is called by memberlist.
func (g *gossip) LocalState(bool) []byte { return nil }

// MergeRemoteState is called by memberlist.
func (g *gossip) MergeRemoteState([]byte, bool) {}

// NotifyJoin is called by memberlist, which may change n afterwards.
func (g *gossip) NotifyJoin(n *memberlist.Node) {
	s := readCard(n)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen[n.Name] = s
}

// NotifyUpdate is called by memberlist.
func (g *gossip) NotifyUpdate(n *memberlist.Node) { g.NotifyJoin(n) }

// NotifyLeave is called by memberlist when a process seems to be gone.
func (g *gossip) NotifyLeave(n *memberlist.Node) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.seen[n.Name]
	if delete(g.seen, n.Name); !g.quiet && s.err == nil {
		g.gone(s.Rank)
	}
}

// MeetingPoints resolves a FAGUS_RENDEZVOUS, host:port or several of them with commas
// between.
func MeetingPoints(ctx context.Context, rendezvous string) ([]netip.AddrPort, error) {
	var all []netip.AddrPort
	for _, s := range strings.Split(rendezvous, ",") {
		host, service, err := net.SplitHostPort(strings.TrimSpace(s))
		if err != nil {
			return nil, fmt.Errorf("cluster: %s=%q: want host:port: %w", fagusRendezvous, rendezvous, err)
		}
		port, err := strconv.ParseUint(service, 10, 16)
		if err != nil || port == 0 {
			return nil, fmt.Errorf("cluster: %s=%q: %q is no port", fagusRendezvous, rendezvous, service)
		}
		addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		if err != nil {
			return nil, fmt.Errorf("cluster: %s=%q: %w", fagusRendezvous, rendezvous, err)
		}
		for _, a := range addrs {
			all = append(all, netip.AddrPortFrom(a.Unmap(), uint16(port)))
		}
	}
	return all, nil
}
