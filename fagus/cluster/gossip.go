package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	stdlog "log"
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

	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
)

// gossip finds the processes of a job through memberlist, and reports silent processes.
type gossip struct {
	list  *memberlist.Memberlist
	meta  []byte           // this process's announcement in JSON
	own   netip.AddrPort   // address of this process's memberlist
	meet  []netip.AddrPort // meeting points: addresses where other processes may be found
	seeds sync.WaitGroup   // the goroutine of seek
	gone  func(rank int)   // called when the process of a rank seems to be gone

	proves bool // this process has an identity

	mu    sync.Mutex          // guards the fields below
	seen  map[string]sighting // by the name that a process has in memberlist
	quiet bool                // gone must no longer be called
	last  error               // result of the last attempt to join at the meeting points
	alien map[string]bool     // hosts from which processes with another key have come
	told  error               // what another process has reported (tell); nil: nothing
}

const (
	// Probe intervals for a LAN: memberlist notices within about 300 ms that a process does not
	// answer. A slow process is not lost, because its rank is pinged before the job fails.
	probeInterval = 80 * time.Millisecond
	probeTimeout  = 50 * time.Millisecond
	streamTimeout = time.Second
	syncInterval  = 5 * time.Second
	seekPause     = 100 * time.Millisecond
	// maxTold bounds the processes that one process tells why there is no job. They tell others.
	maxTold = 16
)

// newGossip starts memberlist at a free meeting point of this host, else at any port of at that
// spec allows.
func newGossip(own announcement, at netip.Addr, meet []netip.AddrPort, spec Spec, gone func(rank int)) (*gossip, error) {
	g := &gossip{meet: meet, gone: gone, proves: spec.Identity != nil, seen: map[string]sighting{}, alien: map[string]bool{}}
	var err error
	if g.meta, err = json.Marshal(own); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if len(g.meta) > memberlist.MetaMaxSize {
		return nil, fmt.Errorf("cluster: the announcement of %s has %d bytes: want at most %d", own.process(), len(g.meta), memberlist.MetaMaxSize)
	}
	local, err := Interfaces()
	if err != nil {
		return nil, err
	}
	points := slices.DeleteFunc(slices.Clone(meet), func(a netip.AddrPort) bool {
		return !slices.ContainsFunc(local, func(i Interface) bool { return i.Addr == a.Addr() })
	})
	create := func(point netip.AddrPort) error {
		c := g.config(own, point, spec.Identity, spec.Log)
		streams, err := newBoundedStreams(c)
		if err == nil {
			c.Transport = streams
			if g.list, err = memberlist.Create(c); err != nil {
				_ = streams.Shutdown() // the error concerns only its own sockets
			}
		}
		if err != nil {
			return fmt.Errorf("cluster: at %s: %w", point, err)
		}
		g.own = netip.AddrPortFrom(point.Addr(), uint16(c.BindPort))
		return nil
	}
	for _, point := range points {
		failure := create(point)
		if failure == nil {
			return g, nil
		}
		err = errors.Join(err, failure)
	}
	failure := spec.Ports.Listen(func(port uint16) error { return create(netip.AddrPortFrom(at, port)) })
	if failure == nil {
		return g, nil
	}
	return nil, errors.Join(err, failure)
}

func (g *gossip) config(own announcement, point netip.AddrPort, id *identity.Identity, log *slog.Logger) *memberlist.Config {
	c := memberlist.DefaultLANConfig()
	c.Name = fmt.Sprintf("rank %d, %s, since %d", own.Rank, own.process(), time.Now().UnixNano())
	c.BindAddr, c.BindPort = point.Addr().String(), int(point.Port())
	c.AdvertiseAddr, c.AdvertisePort = c.BindAddr, c.BindPort
	c.ProbeInterval, c.ProbeTimeout = probeInterval, probeTimeout
	c.GossipInterval = probeInterval
	c.SuspicionMult = 1          // one report suffices, because the suspect is then pinged
	c.AwarenessMaxMultiplier = 1 // for the same reason
	c.TCPTimeout, c.PushPullInterval = streamTimeout, syncInterval
	c.EnableCompression = false // it would allocate 64 KiB for each packet
	c.LogOutput, c.Logger = nil, stdlog.New(&overheard{g, log}, "", 0)
	if id != nil {
		c.SecretKey = id.Key("gossip")
	}
	c.Delegate, c.Events = g, g
	return c
}

// seek tries to join other processes at the meeting points until ctx ends.
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
			rest(ctx, seekPause)
		}
	})
}

// keyMismatch returns an error if all processes at the meeting points use another key, or if only
// one side uses a key. Such processes may belong to an earlier job.
func (g *gossip) keyMismatch() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.last == nil {
		return nil
	}
	points, strange := 0, 0
	for _, a := range g.meet {
		if a != g.own {
			points++
		}
	}
	for _, words := range wrongKey() {
		strange += strings.Count(g.last.Error(), words)
	}
	if strange < points {
		return nil
	}
	own := "this rank's identity is of another job, or they have no identity"
	if !g.proves {
		own = "they have identities, but this rank has none"
	}
	return fmt.Errorf("cluster: the processes at the meeting point (%s) use another key: %s (%s)", fagusRendezvous, own, fagusIdentity)
}

// lastFailure returns why no process was found, if known, formatted as the end of an error text.
func (g *gossip) lastFailure() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.last == nil {
		return ""
	}
	return "; " + strings.Join(strings.Fields(sanitize([]byte(g.last.Error()))), " ")
}

// sightings returns the processes that answer, in random order.
func (g *gossip) sightings() []sighting {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Values(g.seen))
}

func (g *gossip) missing(rank int) bool {
	return !slices.ContainsFunc(g.sightings(), func(s sighting) bool { return s.err == nil && s.Rank == rank })
}

// close stops memberlist without announcing that this process leaves.
func (g *gossip) close() {
	g.mu.Lock()
	g.quiet = true
	g.mu.Unlock()
	g.seeds.Wait()
	_ = g.list.Shutdown() // the error concerns only memberlist's own sockets
}

// These methods implement memberlist.Delegate, and NotifyUpdate of its EventDelegate.
func (g *gossip) NodeMeta(int) []byte             { return g.meta }
func (g *gossip) GetBroadcasts(int, int) [][]byte { return nil }
func (g *gossip) LocalState(bool) []byte          { return nil }
func (g *gossip) MergeRemoteState([]byte, bool)   {}
func (g *gossip) NotifyUpdate(n *memberlist.Node) { g.NotifyJoin(n) }

// tell tells the next processes, in the order of their names, why the processes here cannot form a
// job: they may have seen less, and this process is about to leave. It returns after the settling
// time, or later if some of the job's ranks have not been seen.
func (g *gossip) tell(ctx context.Context, why error, size int) {
	told, ranks := map[string]bool{}, map[int]bool{}
	self := g.list.LocalNode().Name
	for begun := time.Now(); ctx.Err() == nil; rest(ctx, longestPause) {
		for _, s := range g.successors(self) {
			if !told[s.node.Name] && g.list.SendReliable(&s.node, []byte(why.Error())) == nil {
				told[s.node.Name] = true
			}
		}
		for _, s := range g.sightings() {
			ranks[s.Rank] = true
		}
		if lasted := time.Since(begun); lasted >= 4*settling || lasted >= settling && len(ranks) >= size {
			return
		}
	}
}

// successors returns the processes with the next names, at most maxTold.
func (g *gossip) successors(name string) []sighting {
	all := slices.SortedFunc(slices.Values(g.sightings()), func(a, b sighting) int { return strings.Compare(a.node.Name, b.node.Name) })
	own, _ := slices.BinarySearchFunc(all, name, func(s sighting, name string) int { return strings.Compare(s.node.Name, name) })
	all = slices.DeleteFunc(slices.Concat(all[own:], all[:own]), func(s sighting) bool { return s.node.Name == name })
	return all[:min(maxTold, len(all))]
}

// NotifyMsg implements memberlist.Delegate: another process has called tell.
func (g *gossip) NotifyMsg(text []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.told == nil {
		g.told = errors.New(sanitize(text))
	}
}

func (g *gossip) reason() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.told
}

// NotifyJoin implements memberlist.EventDelegate. memberlist may change n afterwards.
func (g *gossip) NotifyJoin(n *memberlist.Node) {
	s := readAnnouncement(n)
	s.node = *n
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen[n.Name] = s
}

// NotifyLeave implements memberlist.EventDelegate: a process seems to be gone.
func (g *gossip) NotifyLeave(n *memberlist.Node) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.seen[n.Name]
	if delete(g.seen, n.Name); !g.quiet && s.err == nil {
		g.gone(s.Rank)
	}
}

// MeetingPoints resolves FAGUS_RENDEZVOUS: host:port, or several separated by commas.
func MeetingPoints(ctx context.Context, rendezvous string) ([]netip.AddrPort, error) {
	points, err := splitPoints(rendezvous)
	if err != nil {
		return nil, err
	}
	var all []netip.AddrPort
	for _, p := range points {
		addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", p.host)
		if err != nil {
			return nil, fmt.Errorf("cluster: %s=%q: %w", fagusRendezvous, rendezvous, err)
		}
		for _, a := range addrs {
			all = append(all, netip.AddrPortFrom(a.Unmap(), p.port))
		}
	}
	return all, nil
}

// meeting is an element of FAGUS_RENDEZVOUS.
type meeting struct {
	host string
	port uint16
}

func splitPoints(rendezvous string) (all []meeting, err error) {
	for _, s := range strings.Split(rendezvous, ",") {
		host, service, err := net.SplitHostPort(strings.TrimSpace(s))
		if err != nil {
			return nil, fmt.Errorf("cluster: %s=%q: want host:port: %w", fagusRendezvous, rendezvous, err)
		}
		port, err := strconv.ParseUint(service, 10, 16)
		if err != nil || port == 0 {
			return nil, fmt.Errorf("cluster: %s=%q: %q is not a port", fagusRendezvous, rendezvous, service)
		}
		all = append(all, meeting{host, uint16(port)})
	}
	return all, nil
}
