package runflags

import (
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// The names of networks.
const (
	DIMMnet1 = "dimmnet1"
	DIMMnet2 = "dimmnet2"
	UDP100   = "udp100"
	Inproc   = "inproc"
	SHM      = "shm"
	TCP      = "tcp"
	QUIC     = "quic"
	OFI      = "ofi"
)

// Network is a value of the flag --net.
type Network struct {
	Name  string
	About string
	// Simulated marks a network in virtual time. It accepts --env, and has a trace.
	Simulated bool
	// Processes marks a network whose ranks are processes.
	Processes bool
	// Hosts marks a network whose ranks may be on several hosts. It accepts --hosts.
	Hosts bool
	// OneMemory marks a network whose ranks can share arrays. It accepts --placement shared.
	OneMemory bool
	// Datagrams marks a network that may lose packets. It accepts --loss, and has no PUSH.
	Datagrams bool

	transport cluster.Transport // valid if Processes is set
}

// List is a list of networks.
type List []Network

// Networks returns the networks of this program in the order of display.
func Networks() List {
	all := List{
		{Name: DIMMnet1, About: "DIMMnet-1, simulated in virtual time", Simulated: true},
		{Name: DIMMnet2, About: "its successor on InfiniBand, simulated", Simulated: true},
		{Name: UDP100, About: "the same machines on UDP over 100BASE-TX, simulated", Simulated: true, Datagrams: true},
		{Name: Inproc, About: "goroutines of one process, wall time", OneMemory: true},
		{Name: SHM, About: "processes of this host, which the command starts unless a launcher has, wall time", Processes: true, OneMemory: true, transport: cluster.SHM},
		{Name: TCP, About: "processes that are connected by TCP", Processes: true, Hosts: true, transport: cluster.TCP},
		{Name: QUIC, About: "processes that are connected by QUIC over UDP, always encrypted", Processes: true, Hosts: true, transport: cluster.QUIC},
	}
	if ofi.Supported() == nil {
		all = append(all, Network{Name: OFI, About: "processes that libfabric connects, not encrypted", Processes: true, Hosts: true, transport: cluster.OFI})
	}
	return all
}

// Which returns the networks that has selects.
func Which(has func(Network) bool) (list List) {
	for _, n := range Networks() {
		if has(n) {
			list = append(list, n)
		}
	}
	return list
}

// Named returns the networks with the given names, in the order of Networks.
func Named(names ...string) List {
	return Which(func(n Network) bool { return slices.Contains(names, n.Name) })
}

// String returns the names of the networks, with "or" before the last name.
func (l List) String() string {
	var names []string
	for _, n := range l {
		names = append(names, n.Name)
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " or " + names[last]
	}
	return strings.Join(names, "")
}

// Usage returns the help text of the flag --net of a command that takes these networks.
func (l List) Usage() string {
	text := "network:"
	for i, n := range l {
		if i > 0 {
			text += ";"
		}
		text += " " + n.Name + " (" + n.About + ")"
	}
	return text
}

// Find returns the network with the given name. The error for another name lists all names.
func (l List) Find(name string) (Network, error) {
	return l.find(setting{value: name, source: "--" + netFlag})
}

func (l List) find(net setting) (Network, error) {
	for _, n := range l {
		if n.Name == net.value {
			return n, nil
		}
	}
	if net.value == OFI && ofi.Supported() != nil {
		return Network{}, usage.Errorf("%s %s: %w", net.source, OFI, ofi.Supported())
	}
	return Network{}, usage.Errorf("%s %q: want %v", net.source, net.value, l)
}

// FindAll returns the networks whose names are in text, with commas between.
func (l List) FindAll(text string) (all List, err error) {
	for name := range strings.SplitSeq(text, ",") {
		n, err := l.Find(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// OfProcesses returns the networks whose ranks are processes.
func OfProcesses() List { return Which(processes) }

func simulated(n Network) bool { return n.Simulated }
func datagrams(n Network) bool { return n.Datagrams }
func hosts(n Network) bool     { return n.Hosts }
func oneMemory(n Network) bool { return n.OneMemory }
func processes(n Network) bool { return n.Processes }
