package presets

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/reliable"
)

//go:embed presets.toml
var presetsTOML string

type presetFile struct {
	NIC      nicTable               `toml:"nic"`
	Ethernet ethernetTable          `toml:"ethernet"`
	UDP      udpTable               `toml:"udp"`
	Board    map[string]boardTable  `toml:"board"`
	Host     map[string]hostTable   `toml:"host"`
	Switch   map[string]switchTable `toml:"switch"`
	Env      map[string]envTable    `toml:"env"`
}

type nicTable struct {
	LLCMBytes         int     `toml:"llcm_bytes"`
	BankBytes         int     `toml:"bank_bytes"`
	StoreBytes        int     `toml:"store_bytes"`
	BlockBytes        int     `toml:"block_bytes"`
	RDMABytes         int     `toml:"rdma_bytes"`
	HeaderBytes       int     `toml:"header_bytes"`
	PushPacketBytes   int     `toml:"push_packet_bytes"`
	FIFO              int     `toml:"fifo"`
	Windows           int     `toml:"windows"`
	BankMBs           float64 `toml:"bank_mb_s"`
	CaptureClocks     int64   `toml:"capture_clocks"`
	QueueClocks       int64   `toml:"queue_clocks"`
	HTLBClocks        int64   `toml:"htlb_clocks"`
	SizeClocks        int64   `toml:"size_clocks"`
	HandshakeClocks   int64   `toml:"handshake_clocks"`
	SendSWIFClocks    int64   `toml:"send_swif_clocks"`
	ReceiveSWIFClocks int64   `toml:"receive_swif_clocks"`
	BubbleSWIFClocks  int64   `toml:"bubble_swif_clocks"`
	LLCMClocks        int64   `toml:"llcm_clocks"`
	FillClocks        int64   `toml:"fill_clocks"`
	GapClocks         int64   `toml:"gap_clocks"`
	InterruptNs       float64 `toml:"interrupt_ns"`
	HTLBRefillNs      float64 `toml:"htlb_refill_ns"`
	TLBRefillClocks   int64   `toml:"tlb_refill_clocks"`
	PushStartNs       float64 `toml:"push_start_ns"`
	FlipNs            float64 `toml:"flip_ns"`
}

type ethernetTable struct {
	MBs         float64 `toml:"mb_s"`
	FrameBytes  int     `toml:"frame_bytes"`
	MinFrame    int     `toml:"min_frame_bytes"`
	GapBytes    int     `toml:"gap_bytes"`
	IPBytes     int     `toml:"ip_udp_bytes"`
	Packet      int     `toml:"packet_bytes"`
	NoticeBytes int     `toml:"notice_bytes"`
	SwitchNs    float64 `toml:"switch_ns"`
}

type udpTable struct {
	LLCMBytes      int     `toml:"llcm_bytes"`
	StoreBytes     int     `toml:"store_bytes"`
	BlockBytes     int     `toml:"block_bytes"`
	Window         int     `toml:"window"`
	Tries          int     `toml:"tries"`
	FirstTimeoutNs float64 `toml:"first_timeout_ns"`
	MinTimeoutNs   float64 `toml:"min_timeout_ns"`
	MaxTimeoutNs   float64 `toml:"max_timeout_ns"`
	AckDelayNs     float64 `toml:"ack_delay_ns"`
	PostNs         float64 `toml:"post_ns"`
	SendNs         float64 `toml:"send_ns"`
	SendByteNs     float64 `toml:"send_byte_ns"`
	ReceiveNs      float64 `toml:"receive_ns"`
	ReceiveByteNs  float64 `toml:"receive_byte_ns"`
	ReplyNs        float64 `toml:"reply_ns"`
	WakeNs         float64 `toml:"wake_ns"`
	LoadNs         float64 `toml:"load_ns"`
	LoadByteNs     float64 `toml:"load_byte_ns"`
	HeldNs         float64 `toml:"held_ns"`
}

type boardTable struct {
	LinkMBs       float64 `toml:"link_mb_s"`
	OutsideNs     float64 `toml:"outside_ns"`
	PadBytes      int     `toml:"pad_bytes"`
	SWIFClockNs   float64 `toml:"swif_clock_ns"`
	OwnSWIFClocks int64   `toml:"own_swif_clocks"`
}

type hostTable struct {
	WriteNs        float64 `toml:"write_ns"`
	ReadNs         float64 `toml:"read_ns"`
	WriteNoMMXNs   float64 `toml:"write_nommx_ns"`
	ReadNoMMXNs    float64 `toml:"read_nommx_ns"`
	ReadHalfNs     float64 `toml:"read_half_ns"`
	ChipsetNs      float64 `toml:"chipset_ns"`
	DIMMClockNs    float64 `toml:"dimm_clock_ns"`
	ProgramNs      float64 `toml:"program_ns"`
	CycleCounterNs float64 `toml:"cycle_counter_ns"`
	SliceNs        float64 `toml:"slice_ns"`
	NotifyNs       float64 `toml:"notify_ns"`
	NoticeNs       float64 `toml:"notice_ns"`

	CopyMBs    float64 `toml:"copy_mb_s"`
	GiveMBs    float64 `toml:"give_mb_s"`
	TakeMBs    float64 `toml:"take_mb_s"`
	CompareMBs float64 `toml:"compare_mb_s"`
	MissNs     float64 `toml:"miss_ns"`
	EntryNs    float64 `toml:"entry_ns"`
	StepNs     float64 `toml:"step_ns"`
	ReadNoteNs float64 `toml:"read_notice_ns"`
	WakeNs     float64 `toml:"wake_ns"`
}

type switchTable struct {
	Ports       int     `toml:"ports"`
	PacketNs    float64 `toml:"packet_ns"`
	PacketBytes int     `toml:"packet_bytes"`
	Multicast   bool    `toml:"multicast"`
}

type envTable struct {
	Board  string `toml:"board"`
	Host   string `toml:"host"`
	Switch string `toml:"switch"`
	Direct bool   `toml:"direct"`
	CPUs   int    `toml:"cpus"`
	// bubbles are inserted if true; nil means: if the DIMM clock is faster than the SWIF clock
	Bubbles *bool `toml:"bubbles"`
}

func parsePresets(text string) (presetFile, error) {
	var f presetFile
	meta, err := toml.Decode(text, &f)
	if err != nil {
		return f, fmt.Errorf("sim: presets: %w", err)
	}
	if extra := meta.Undecoded(); len(extra) > 0 {
		return f, fmt.Errorf("sim: presets: unknown key %s", extra[0])
	}
	return f, nil
}

// parsed parses the file once in a process: parsing takes longer than many a simulated run.
var parsed = sync.OnceValues(func() (presetFile, error) { return parsePresets(presetsTOML) })

// Envs returns the names that Load knows, sorted. It reads no file, because every start of
// the command shows the names in its help.
func Envs() []string {
	return []string{"A", "B", "C", "D", "E", "F", "design", "fagus2", "sendrecv"}
}

// Load returns the preset of an environment of the papers: A to F, fagus2, sendrecv, or
// design (the estimates for a 133 MHz bus).
func Load(env string) (Preset, error) {
	f, err := parsed()
	if err != nil {
		return Preset{}, err
	}
	e, ok := f.Env[env]
	if !ok {
		return Preset{}, fmt.Errorf("sim: no environment %q: want one of %s", env, strings.Join(Envs(), ", "))
	}
	return f.preset(env, e), nil
}

func (f *presetFile) preset(name string, e envTable) Preset {
	n, b, h, s := f.NIC, f.Board[e.Board], f.Host[e.Host], f.Switch[e.Switch]
	return Preset{
		Name:   name,
		Limits: dimmnet.Limits{Store: n.StoreBytes, Block: n.BlockBytes, RDMA: n.RDMABytes, LLCM: n.LLCMBytes, Bulk: n.BankBytes},
		Host: HostTimes{
			Write:        ns(h.WriteNs),
			Read:         ns(h.ReadNs),
			ReadHalf:     ns(h.ReadHalfNs),
			Fill:         ns(h.DIMMClockNs) * dimmnet.Time(n.FillClocks),
			Program:      ns(h.ProgramNs),
			CycleCounter: ns(h.CycleCounterNs),
			CPUs:         e.CPUs,
			Slice:        ns(h.SliceNs),
			Notify:       ns(h.NotifyNs),
			Notice:       ns(h.NoticeNs),
			WriteNoMMX:   ns(h.WriteNoMMXNs),
			ReadNoMMX:    ns(h.ReadNoMMXNs),
			Costs:        h.costs(),
		},
		NIC:         nicTimes(&n, &b, &h, e.Bubbles),
		Switch:      Switch{Name: e.Switch, Ports: s.Ports, Packet: ns(s.PacketNs), PacketBytes: s.PacketBytes, Multicast: s.Multicast},
		Ethernet:    f.Ethernet.times(),
		UDP:         f.UDP.times(&f.Ethernet),
		Direct:      e.Direct,
		HeaderBytes: n.HeaderBytes,
		PadBytes:    b.PadBytes,
		PushBytes:   n.PushPacketBytes,
		FIFO:        n.FIFO,
		Windows:     n.Windows,
	}
}

func (h *hostTable) costs() HostCosts {
	return HostCosts{
		Work: [...]dimmnet.Time{
			dimmnet.Copy:    perByte(h.CopyMBs),
			dimmnet.Give:    perByte(h.GiveMBs),
			dimmnet.Take:    perByte(h.TakeMBs),
			dimmnet.Compare: perByte(h.CompareMBs),
			dimmnet.Miss:    ns(h.MissNs),
			dimmnet.Entry:   ns(h.EntryNs),
			dimmnet.Step:    ns(h.StepNs),
			dimmnet.Notice:  ns(h.ReadNoteNs),
		},
		Wake: ns(h.WakeNs),
		Turn: ns(h.ReadNs),
	}
}

func (e *ethernetTable) times() Ethernet {
	return Ethernet{
		Byte:       perByte(e.MBs),
		FrameBytes: e.FrameBytes,
		MinFrame:   e.MinFrame,
		GapBytes:   e.GapBytes,
		IPBytes:    e.IPBytes,
		Packet:     e.Packet,
		NoticeIP:   e.NoticeBytes,
		Switch:     ns(e.SwitchNs),
	}
}

func (u *udpTable) times(e *ethernetTable) UDPTimes {
	return UDPTimes{
		Limits: dimmnet.Limits{Store: u.StoreBytes, Block: u.BlockBytes, LLCM: u.LLCMBytes},
		Conn: reliable.Config{
			Window:       u.Window,
			Payload:      e.Packet - e.IPBytes - reliable.HeaderBytes,
			Tries:        u.Tries,
			FirstTimeout: ns(u.FirstTimeoutNs),
			MinTimeout:   ns(u.MinTimeoutNs),
			MaxTimeout:   ns(u.MaxTimeoutNs),
			AckDelay:     ns(u.AckDelayNs),
		},
		Post:        ns(u.PostNs),
		Send:        ns(u.SendNs),
		SendByte:    ns(u.SendByteNs),
		Receive:     ns(u.ReceiveNs),
		ReceiveByte: ns(u.ReceiveByteNs),
		Reply:       ns(u.ReplyNs),
		Wake:        ns(u.WakeNs),
		Load:        ns(u.LoadNs),
		LoadByte:    ns(u.LoadByteNs),
		Held:        ns(u.HeldNs),
	}
}

func nicTimes(n *nicTable, b *boardTable, h *hostTable, bubbles *bool) NICTimes {
	dimm, swif := ns(h.DIMMClockNs), ns(b.SWIFClockNs)
	receive := n.ReceiveSWIFClocks
	// bubbles are needed if the DIMM clock is faster than the SWIF clock
	if insert := dimm < swif; insert && (bubbles == nil || *bubbles) {
		receive += n.BubbleSWIFClocks
	}
	return NICTimes{
		Send: []Stage{
			{"chipset", ns(h.ChipsetNs)},
			{"capture of the host write", dimm * dimmnet.Time(n.CaptureClocks)},
			{"transaction queue", dimm * dimmnet.Time(n.QueueClocks)},
			{"HTLB lookup", dimm * dimmnet.Time(n.HTLBClocks)},
			{"size decision", dimm * dimmnet.Time(n.SizeClocks)},
			{"send-buffer handshake", dimm * dimmnet.Time(n.HandshakeClocks)},
			{"send SWIF", swif * dimmnet.Time(n.SendSWIFClocks)},
		},
		Outside:    Stage{"outside the SWIF", ns(b.OutsideNs)},
		Receive:    []Stage{{"receive SWIF", swif * dimmnet.Time(receive)}, {"LLCM write", dimm * dimmnet.Time(n.LLCMClocks)}},
		Own:        swif * dimmnet.Time(b.OwnSWIFClocks),
		ByteTime:   perByte(b.LinkMBs),
		BankByte:   perByte(n.BankMBs),
		Gap:        dimm * dimmnet.Time(n.GapClocks),
		Interrupt:  ns(n.InterruptNs),
		HTLBRefill: ns(n.HTLBRefillNs),
		TLBRefill:  dimm * dimmnet.Time(n.TLBRefillClocks),
		PushStart:  ns(n.PushStartNs),
		Flip:       ns(n.FlipNs),
	}
}

func ns(x float64) dimmnet.Time { return dimmnet.Time(math.Round(x * float64(dimmnet.Nanosecond))) }

func perByte(mbs float64) dimmnet.Time {
	return dimmnet.Time(math.Round(float64(dimmnet.Second) / (mbs * 1e6)))
}
