package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster/meeting"
)

// gossip finds the processes of a job through a meetingDriver, and reports silent processes.
type gossip struct {
	list  meeting.Group
	name  string           // of this process at the meeting points
	meta  []byte           // this process's announcement in JSON
	own   netip.AddrPort   // where list reaches this process
	meet  []netip.AddrPort // meeting points: addresses where other processes may be found
	seeds sync.WaitGroup   // the goroutine of seek
	gone  func(rank int)   // called when the process of a rank seems to be gone

	proves bool // this process has an identity

	mu    sync.Mutex          // guards the fields below
	seen  map[string]sighting // by the name of a process
	quiet bool                // gone must no longer be called
	last  error               // result of the last attempt to join at the meeting points
	alien map[string]bool     // hosts from which processes with another key have come
	told  error               // what another process has reported (tell); nil: nothing
}

const (
	seekPause = 100 * time.Millisecond
	// maxTold bounds the processes that one process tells why there is no job. They tell others.
	maxTold = 16
)

// newGossip meets at a free meeting point of this host, else at any port of at that spec allows.
func newGossip(own announcement, at netip.Addr, meet []netip.AddrPort, spec Spec, gone func(rank int)) (*gossip, error) {
	driver, err := meetingOf(spec.Drivers)
	if err != nil {
		return nil, err
	}
	g := &gossip{meet: meet, gone: gone, proves: spec.Identity != nil, seen: map[string]sighting{}, alien: map[string]bool{}}
	if g.meta, err = json.Marshal(own); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if len(g.meta) > meeting.MostMeta {
		return nil, fmt.Errorf("cluster: the announcement of %s has %d bytes: want at most %d", own.process(), len(g.meta), meeting.MostMeta)
	}
	local, err := Interfaces()
	if err != nil {
		return nil, err
	}
	points := slices.DeleteFunc(slices.Clone(meet), func(a netip.AddrPort) bool {
		return !slices.ContainsFunc(local, func(i Interface) bool { return i.Addr == a.Addr() })
	})
	g.name = fmt.Sprintf("rank %d, %s, since %d", own.Rank, own.process(), time.Now().UnixNano())
	create := func(point netip.AddrPort) (err error) {
		c := meeting.Config{Name: g.name, Meta: g.meta, At: point, Streams: maxPending, Log: &overheard{g, spec.Log}, Events: g}
		if spec.Identity != nil {
			c.Key = spec.Identity.Key("gossip")
		}
		if g.list, err = driver.Meet(c); err != nil {
			return fmt.Errorf("cluster: at %s: %w", point, err)
		}
		g.own = netip.AddrPortFrom(point.Addr(), g.list.Port())
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
			err := g.list.Join(others)
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

// close stops without announcing that this process leaves.
func (g *gossip) close() {
	g.mu.Lock()
	g.quiet = true
	g.mu.Unlock()
	g.seeds.Wait()
	g.list.Shutdown()
}

// tell tells the next processes, in the order of their names, why the processes here cannot form a
// job: they may have seen less, and this process is about to leave. It returns after the settling
// time, or later if some of the job's ranks have not been seen.
func (g *gossip) tell(ctx context.Context, why error, size int) {
	told, ranks := map[string]bool{}, map[int]bool{}
	for begun := time.Now(); ctx.Err() == nil; rest(ctx, longestPause) {
		for _, s := range g.successors(g.name) {
			if !told[s.name] && g.list.Send(s.name, []byte(why.Error())) == nil {
				told[s.name] = true
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
	all := slices.SortedFunc(slices.Values(g.sightings()), func(a, b sighting) int { return strings.Compare(a.name, b.name) })
	own, _ := slices.BinarySearchFunc(all, name, func(s sighting, name string) int { return strings.Compare(s.name, name) })
	all = slices.DeleteFunc(slices.Concat(all[own:], all[:own]), func(s sighting) bool { return s.name == name })
	return all[:min(maxTold, len(all))]
}

// Received implements meeting.Events: another process has called tell.
func (g *gossip) Received(text []byte) {
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

// Joined implements meeting.Events.
func (g *gossip) Joined(p meeting.Process) {
	s := readAnnouncement(p)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen[p.Name] = s
}

// Left implements meeting.Events: a process seems to be gone.
func (g *gossip) Left(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.seen[name]
	if delete(g.seen, name); !g.quiet && s.err == nil {
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

// meetingAddress is an element of FAGUS_RENDEZVOUS.
type meetingAddress struct {
	host string
	port uint16
}

func splitPoints(rendezvous string) (all []meetingAddress, err error) {
	for _, s := range strings.Split(rendezvous, ",") {
		host, service, err := net.SplitHostPort(strings.TrimSpace(s))
		if err != nil {
			return nil, fmt.Errorf("cluster: %s=%q: want host:port: %w", fagusRendezvous, rendezvous, err)
		}
		port, err := strconv.ParseUint(service, 10, 16)
		if err != nil || port == 0 {
			return nil, fmt.Errorf("cluster: %s=%q: %q is not a port", fagusRendezvous, rendezvous, service)
		}
		all = append(all, meetingAddress{host, uint16(port)})
	}
	return all, nil
}
