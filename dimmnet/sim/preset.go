package sim

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/fagus-dsm/fagus/dimmnet"
)

//go:embed presets.toml
var presetsTOML string

// DefaultEnv is the evaluation machine of the Fagus paper.
const DefaultEnv = "fagus2"

// Stage is one step of a packet's way and the time that it takes.
type Stage struct {
	Name string
	Time dimmnet.Time
}

// Preset is a NIC, its link and its host, in the numbers that the model needs.
// They come from presets.toml, where each has its source beside it.
type Preset struct {
	Name   string
	Limits dimmnet.Limits

	CPUWrite dimmnet.Time // one uncached write of up to 8 bytes
	CPURead  dimmnet.Time // one uncached read of 8 bytes
	CPUFill  dimmnet.Time // one 8-byte word into a write-combining window

	Send    []Stage // from the end of the CPU's write to the link
	Flight  dimmnet.Time
	Receive []Stage // from the link to the word's appearance in the LLCM

	ByteTime    dimmnet.Time // one byte on the link
	HeaderBytes int
	PadBytes    int // shorter packets occupy the link as if they had so many bytes
	FIFO        int // AOTF packets that may wait in the sender's NIC
	Windows     int // BOTF packets that may wait in the sender's NIC
}

type presetFile struct {
	NIC   nicTable              `toml:"nic"`
	Board map[string]boardTable `toml:"board"`
	Host  map[string]hostTable  `toml:"host"`
	Env   map[string]envTable   `toml:"env"`
}

type nicTable struct {
	LLCMBytes         int   `toml:"llcm_bytes"`
	StoreBytes        int   `toml:"store_bytes"`
	BlockBytes        int   `toml:"block_bytes"`
	HeaderBytes       int   `toml:"header_bytes"`
	FIFO              int   `toml:"fifo"`
	Windows           int   `toml:"windows"`
	CaptureClocks     int64 `toml:"capture_clocks"`
	QueueClocks       int64 `toml:"queue_clocks"`
	HTLBClocks        int64 `toml:"htlb_clocks"`
	SizeClocks        int64 `toml:"size_clocks"`
	HandshakeClocks   int64 `toml:"handshake_clocks"`
	SendSWIFClocks    int64 `toml:"send_swif_clocks"`
	ReceiveSWIFClocks int64 `toml:"receive_swif_clocks"`
	BubbleSWIFClocks  int64 `toml:"bubble_swif_clocks"`
	LLCMClocks        int64 `toml:"llcm_clocks"`
	FillClocks        int64 `toml:"fill_clocks"`
}

type boardTable struct {
	LinkMBs     int64 `toml:"link_mb_s"`
	OutsideNs   int64 `toml:"outside_ns"`
	PadBytes    int   `toml:"pad_bytes"`
	SWIFClockNs int64 `toml:"swif_clock_ns"`
}

type hostTable struct {
	WriteNs     int64 `toml:"write_ns"`
	ReadNs      int64 `toml:"read_ns"`
	ChipsetNs   int64 `toml:"chipset_ns"`
	DIMMClockNs int64 `toml:"dimm_clock_ns"`
}

type envTable struct {
	Board string `toml:"board"`
	Host  string `toml:"host"`
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

// Envs lists the names that LoadPreset knows, in order.
func Envs() []string {
	f, err := parsePresets(presetsTOML)
	if err != nil {
		panic(err) // the embedded file is part of the program
	}
	return slices.Sorted(maps.Keys(f.Env))
}

// LoadPreset returns the preset of a measurement environment of the papers:
// A to F, or fagus2.
func LoadPreset(env string) (Preset, error) {
	f, err := parsePresets(presetsTOML)
	if err != nil {
		return Preset{}, err
	}
	e, ok := f.Env[env]
	if !ok {
		return Preset{}, fmt.Errorf("sim: no environment %q; there are %s", env, strings.Join(Envs(), ", "))
	}
	return newPreset(env, f.NIC, f.Board[e.Board], f.Host[e.Host]), nil
}

func newPreset(name string, n nicTable, b boardTable, h hostTable) Preset {
	dimm := dimmnet.Time(h.DIMMClockNs) * dimmnet.Nanosecond
	swif := dimmnet.Time(b.SWIFClockNs) * dimmnet.Nanosecond
	receive := n.ReceiveSWIFClocks
	if dimm < swif { // the DIMM clock exceeds the SWIF clock
		receive += n.BubbleSWIFClocks
	}
	return Preset{
		Name:     name,
		Limits:   dimmnet.Limits{Store: n.StoreBytes, Block: n.BlockBytes, LLCM: n.LLCMBytes},
		CPUWrite: dimmnet.Time(h.WriteNs) * dimmnet.Nanosecond,
		CPURead:  dimmnet.Time(h.ReadNs) * dimmnet.Nanosecond,
		CPUFill:  dimm * dimmnet.Time(n.FillClocks),
		Send: []Stage{
			{"chipset", dimmnet.Time(h.ChipsetNs) * dimmnet.Nanosecond},
			{"capture of the host write", dimm * dimmnet.Time(n.CaptureClocks)},
			{"transaction queue", dimm * dimmnet.Time(n.QueueClocks)},
			{"HTLB lookup", dimm * dimmnet.Time(n.HTLBClocks)},
			{"size decision", dimm * dimmnet.Time(n.SizeClocks)},
			{"send-buffer handshake", dimm * dimmnet.Time(n.HandshakeClocks)},
			{"send SWIF", swif * dimmnet.Time(n.SendSWIFClocks)},
		},
		Flight: dimmnet.Time(b.OutsideNs) * dimmnet.Nanosecond,
		Receive: []Stage{
			{"receive SWIF", swif * dimmnet.Time(receive)},
			{"LLCM write", dimm * dimmnet.Time(n.LLCMClocks)},
		},
		ByteTime:    dimmnet.Second / dimmnet.Time(b.LinkMBs*1_000_000),
		HeaderBytes: n.HeaderBytes,
		PadBytes:    b.PadBytes,
		FIFO:        n.FIFO,
		Windows:     n.Windows,
	}
}

// check reports a preset that cannot work.
func (p *Preset) check() error {
	l := p.Limits
	if l.Store != dimmnet.WordBytes || l.Block < 1 || l.RDMA != 0 || l.LLCM < dimmnet.WordBytes || l.LLCM%dimmnet.WordBytes != 0 {
		return fmt.Errorf("sim: preset %q: limits %+v", p.Name, l)
	}
	if p.FIFO < 1 || p.Windows < 1 || p.HeaderBytes < 0 || p.PadBytes < 0 {
		return fmt.Errorf("sim: preset %q: FIFO %d, windows %d, header %d, pad %d", p.Name, p.FIFO, p.Windows, p.HeaderBytes, p.PadBytes)
	}
	if min(p.CPUWrite, p.CPURead, p.CPUFill, p.Flight, p.ByteTime, total(p.Send), total(p.Receive)) < 0 {
		return fmt.Errorf("sim: preset %q: a negative time", p.Name)
	}
	return nil
}

// OneWay is the time from the start of a CPU's store to the appearance of its
// word in the peer's LLCM on an idle network.
func (p *Preset) OneWay() dimmnet.Time {
	return p.CPUWrite + total(p.Send) + p.Flight + total(p.Receive)
}

func total(stages []Stage) (t dimmnet.Time) {
	for _, s := range stages {
		t += s.Time
	}
	return t
}

// linkTime is how long a packet with n bytes of payload occupies a link.
func (p *Preset) linkTime(n int) dimmnet.Time {
	return dimmnet.Time(max(p.HeaderBytes+n, p.PadBytes)) * p.ByteTime
}

// tailTime is how much later than a word the last byte of n arrives. The
// stages were measured with a word; a longer payload streams in behind it.
func (p *Preset) tailTime(n int) dimmnet.Time {
	return dimmnet.Time(max(0, n-dimmnet.WordBytes)) * p.ByteTime
}
