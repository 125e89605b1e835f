package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// probeName is the hidden command that fagus doctor --hosts runs on each host.
const probeName = "probe"

// Probe returns the hidden command that examines this host for fagus doctor --hosts.
func Probe() *cli.Command {
	return &cli.Command{
		Name: probeName, Usage: "examine this host for fagus doctor --hosts", Hidden: true,
		Action: base.NoArgs(func(c *cli.Context) error { return serve(os.Stdin, c.App.Writer) }),
	}
}

// serve answers orders until they end.
func serve(in io.Reader, out io.Writer) error {
	orders, answers := json.NewDecoder(in), json.NewEncoder(out)
	var p probe
	defer p.close()
	for {
		var o order
		if err := orders.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("doctor: reading an order: %w", err)
		}
		if err := answers.Encode(p.answer(o)); err != nil {
			return err
		}
	}
}

func (p *probe) answer(o order) answer {
	switch {
	case o.Begin != nil:
		return answer{About: describe(o.Begin)}
	case o.Time:
		return answer{TimeNS: time.Now().UnixNano()}
	case o.Listen != nil:
		at, err := p.listen(o.Listen)
		if err != nil {
			return answer{Err: err.Error()}
		}
		return answer{Listen: at}
	case o.Reach != nil:
		return answer{Reach: o.Reach.try(p.mtu)}
	}
	return answer{Err: fmt.Sprintf("doctor: this probe (version %d) does not know the order", probeVersion)}
}

func describe(b *begin) *about {
	a := &about{Version: probeVersion, System: runtime.GOOS + "/" + runtime.GOARCH, Processors: runtime.NumCPU(), resources: readResources()}
	a.Build, a.Codecs = cluster.Build()
	a.Path, _ = os.Executable() // empty if it is unknown
	if err := os.Chdir(b.Folder); err != nil {
		a.FolderErr = err.Error()
	}
	if b.Net == runflags.OFI {
		var err error
		if a.Provider, err = ofi.Choose(b.Provider); err != nil {
			a.Provider, a.FabricErr = "", err.Error()
		}
	}
	return a
}

// choose returns the interface at which ranks on this host would listen.
func (l *listen) choose() (cluster.Interface, error) {
	want := l.Interface
	if want == "" {
		want = os.Getenv("FAGUS_INTERFACE")
	}
	if l.Meet.IsValid() {
		return cluster.ChooseInterface(want, []netip.AddrPort{netip.AddrPortFrom(l.Meet, 9)})
	}
	var near netip.Addr // the address of this host that ssh connected to
	if words := strings.Fields(os.Getenv("SSH_CONNECTION")); len(words) == 4 {
		near, _ = netip.ParseAddr(words[2])
	}
	return cluster.OuterInterface(want, near)
}

// probeVersion is the version of the conversation between `fagus doctor --hosts` and the probes
// that it runs on hosts. The doctor writes orders to a probe's standard input, and the probe writes
// one answer to each to its standard output, as a sequence of JSON documents. The probe ends with
// its input.
const probeVersion = 1

// order is what a probe is to do. One field is set.
type order struct {
	Begin  *begin  `json:"begin,omitempty"`
	Time   bool    `json:"time,omitempty"`
	Listen *listen `json:"listen,omitempty"`
	Reach  *reach  `json:"reach,omitempty"`
}

type begin struct {
	Version  int    `json:"version"`
	Folder   string `json:"folder"` // the working directory of the ranks
	Net      string `json:"net"`
	Provider string `json:"provider"` // of libfabric; "": the default
}

// listen asks a probe to listen as ranks would. Meet is the address of rank 0; zero: this is the
// host of rank 0.
type listen struct {
	Ports     string     `json:"ports"`
	Interface string     `json:"interface"` // FAGUS_INTERFACE at the doctor; may be empty
	Meet      netip.Addr `json:"meet,omitzero"`
	Want      int        `json:"want"` // number of ports
	Secret    []byte     `json:"secret"`
}

// reach asks a probe to connect to others.
type reach struct {
	Secret []byte   `json:"secret"`
	WaitNS int64    `json:"wait_ns"` // for each connection
	To     []target `json:"to"`
}

type target struct {
	Host  string     `json:"host"`
	Addr  netip.Addr `json:"addr"`
	Ports []uint16   `json:"ports"`
}

// answer is what a probe answers. The field that belongs to the order is set.
type answer struct {
	Err    string     `json:"err,omitempty"`
	About  *about     `json:"about,omitempty"`
	TimeNS int64      `json:"time_ns,omitempty"`
	Listen *listening `json:"listen,omitempty"`
	Reach  []contact  `json:"reach,omitempty"`
}

// about describes a host and the program there.
type about struct {
	Version    int    `json:"version"`
	Path       string `json:"path"`
	Build      string `json:"build"`
	Codecs     string `json:"codecs"`
	FolderErr  string `json:"folder_err,omitempty"`
	System     string `json:"system"`
	Processors int    `json:"processors"`
	// Provider is what --net ofi uses. It is empty for other networks, and if there is FabricErr.
	Provider  string `json:"provider,omitempty"`
	FabricErr string `json:"fabric_err,omitempty"`
	resources
}

// resources are what the operating system tells about a host. 0 means unknown or, for a limit,
// none.
type resources struct {
	MemoryBytes  uint64 `json:"memory_bytes"`
	FreeBytes    uint64 `json:"free_bytes"`
	OpenFiles    uint64 `json:"open_files"`
	Processes    uint64 `json:"processes"`
	AddressBytes uint64 `json:"address_bytes"`
}

// listening is where a probe listens, by TCP and UDP.
type listening struct {
	Addr  netip.Addr `json:"addr"`
	Where string     `json:"where"` // the interface, and why it was chosen
	Ports []uint16   `json:"ports"`
	Busy  []uint16   `json:"busy"` // ports of the range in use
}

// contact is how a host is reached from another.
type contact struct {
	From string     `json:"from"`
	To   string     `json:"to"`
	Addr netip.Addr `json:"addr"`
	// RTTNS is the time of the fastest TCP connection; 0 if there is none.
	RTTNS     int64        `json:"rtt_ns"`
	TCPFailed []failedPort `json:"tcp_failed"` // ports that TCP does not reach
	UDPFailed []uint16     `json:"udp_failed"` // ports that answer no datagram
	// Sent is the size of the largest packet that was sent, and MTU of the largest that came
	// through whole. 0: unknown.
	Sent int `json:"sent_mtu"`
	MTU  int `json:"path_mtu"`
}

type failedPort struct {
	Port uint16 `json:"port"`
	Why  string `json:"why"`
}
