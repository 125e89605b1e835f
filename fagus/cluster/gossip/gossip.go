package gossip

import (
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/fagus-dsm/fagus/fagus/cluster/meeting"
)

// Driver is what program.Main and cluster.Run take.
type Driver struct{}

// Driver returns the name of the driver.
func (Driver) Driver() string { return "gossip" }

const (
	// Probe intervals for a LAN: memberlist notices within about 300 ms that a process does not
	// answer. A slow process is not lost, because its rank is pinged before the job fails.
	probeInterval = 80 * time.Millisecond
	probeTimeout  = 50 * time.Millisecond
	streamTimeout = time.Second
	syncInterval  = 5 * time.Second
)

// Meet starts memberlist. An error that wraps syscall.EADDRINUSE is about the port of c.At.
func (Driver) Meet(c meeting.Config) (meeting.Group, error) {
	if len(c.Meta) > memberlist.MetaMaxSize {
		return nil, fmt.Errorf("gossip: a process announces itself by %d bytes: want at most %d", len(c.Meta), memberlist.MetaMaxSize)
	}
	g := &group{meta: c.Meta, events: c.Events, nodes: make(map[string]memberlist.Node)}
	of := g.config(c)
	streams, err := newBoundedStreams(of, c.Streams)
	if err != nil {
		return nil, err
	}
	of.Transport = streams
	if g.list, err = memberlist.Create(of); err != nil {
		_ = streams.Shutdown() // the error concerns only its own sockets
		return nil, err
	}
	g.port = uint16(of.BindPort)
	return g, nil
}

// group is a meeting.Group.
type group struct {
	list   *memberlist.Memberlist
	port   uint16
	meta   []byte
	events meeting.Events

	mu    sync.Mutex
	nodes map[string]memberlist.Node // guarded by mu
}

func (g *group) config(of meeting.Config) *memberlist.Config {
	c := memberlist.DefaultLANConfig()
	c.Name = of.Name
	c.BindAddr, c.BindPort = of.At.Addr().String(), int(of.At.Port())
	c.AdvertiseAddr, c.AdvertisePort = c.BindAddr, c.BindPort
	c.ProbeInterval, c.ProbeTimeout = probeInterval, probeTimeout
	c.GossipInterval = probeInterval
	c.SuspicionMult = 1          // one report suffices, because the suspect is then pinged
	c.AwarenessMaxMultiplier = 1 // for the same reason
	c.TCPTimeout, c.PushPullInterval = streamTimeout, syncInterval
	c.EnableCompression = false // it would allocate 64 KiB for each packet
	c.LogOutput, c.Logger = nil, log.New(of.Log, "", 0)
	c.SecretKey = of.Key
	c.Delegate, c.Events = g, g
	return c
}

// Port implements meeting.Group.
func (g *group) Port() uint16 { return g.port }

// Join implements meeting.Group.
func (g *group) Join(addresses []string) error {
	_, err := g.list.Join(addresses)
	return err
}

// Send implements meeting.Group.
func (g *group) Send(name string, text []byte) error {
	g.mu.Lock()
	node, ok := g.nodes[name]
	g.mu.Unlock()
	if !ok {
		return fmt.Errorf("gossip: %s is not there", name)
	}
	return g.list.SendReliable(&node, text)
}

// Shutdown implements meeting.Group. It does not announce that this process leaves.
func (g *group) Shutdown() { _ = g.list.Shutdown() } // the error is about memberlist's sockets

// These methods implement memberlist.Delegate, and NotifyUpdate of its EventDelegate.
func (g *group) NodeMeta(int) []byte             { return g.meta }
func (g *group) GetBroadcasts(int, int) [][]byte { return nil }
func (g *group) LocalState(bool) []byte          { return nil }
func (g *group) MergeRemoteState([]byte, bool)   {}
func (g *group) NotifyUpdate(n *memberlist.Node) { g.NotifyJoin(n) }

// NotifyMsg implements memberlist.Delegate: another process has called Send.
func (g *group) NotifyMsg(text []byte) { g.events.Received(text) }

// NotifyJoin implements memberlist.EventDelegate. memberlist may change n afterwards.
func (g *group) NotifyJoin(n *memberlist.Node) {
	g.mu.Lock()
	g.nodes[n.Name] = *n
	g.mu.Unlock()
	g.events.Joined(meeting.Process{Name: n.Name, Address: n.Address(), Meta: n.Meta})
}

// NotifyLeave implements memberlist.EventDelegate: a process seems to be gone.
func (g *group) NotifyLeave(n *memberlist.Node) {
	g.mu.Lock()
	delete(g.nodes, n.Name)
	g.mu.Unlock()
	g.events.Left(n.Name)
}
