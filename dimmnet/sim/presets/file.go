package presets

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/reliable"
)

//go:embed presets.toml
var presetsTOML string

// table has the values of a table of presets.toml as they are written, by their keys.
type table map[string]string

// file holds the tables of presets.toml by their names, such as nic and board.optical.
type file struct {
	tables map[string]table

	err error // the first error in the file
	// of the stages of the NIC
	clocks struct{ capture, queue, htlb, size, handshake, send, receive, bubble, llcm, fill, gap, tlb int }
}

// readTables reads the part of TOML that presets.toml needs: a table or a value on each line, where
// a value is a number, true, false, a text in quotation marks, or a table in braces of such.
func (f *file) readTables(text string) {
	f.tables = make(map[string]table)
	name := ""
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		key, value, isValue := strings.Cut(line, " = ")
		inner, isTable := strings.CutPrefix(value, "{ ")
		switch {
		case line == "":
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			name = line[1 : len(line)-1]
			f.tables[name] = table{}
		case isTable:
			of := table{}
			for item := range strings.SplitSeq(strings.TrimSuffix(inner, " }"), ", ") {
				key, value, _ := strings.Cut(item, " = ")
				of[key] = value
			}
			f.tables[name+"."+key] = of
		case isValue && name != "":
			f.tables[name][key] = value
		case isValue:
			f.unknown(key)
		default:
			f.fail(fmt.Errorf("line %d: %q: want [table] or key = value", i+1, line))
		}
	}
}

// parsePresets returns the presets in text, by environment.
func parsePresets(text string) (map[string]Preset, error) {
	var f file
	f.readTables(text)
	common, all := f.common(), make(map[string]Preset)
	for _, name := range slices.Sorted(maps.Keys(f.tables)) {
		if env, ok := strings.CutPrefix(name, "env."); ok {
			all[env] = f.preset(env, common)
		}
	}
	if f.err != nil {
		return nil, fmt.Errorf("sim: presets: %w", f.err)
	}
	return all, nil
}

// parsed parses the file once in a process: parsing takes longer than many a simulated run.
var parsed = sync.OnceValues(func() (map[string]Preset, error) { return parsePresets(presetsTOML) })

// Envs returns the names that Load knows, sorted. It reads no file, because every start of
// the command shows the names in its help.
func Envs() []string {
	return []string{"A", "B", "C", "D", "E", "F", "design", "fagus2", "sendrecv"}
}

// Load returns the preset of an environment of the papers: A to F, fagus2, sendrecv, or
// design (the estimates for a 133 MHz bus).
func Load(env string) (Preset, error) {
	all, err := parsed()
	if err != nil {
		return Preset{}, err
	}
	p, ok := all[env]
	if !ok {
		return Preset{}, fmt.Errorf("sim: no environment %q: want one of %s", env, strings.Join(Envs(), ", "))
	}
	p.NIC.Send, p.NIC.Receive = slices.Clone(p.NIC.Send), slices.Clone(p.NIC.Receive)
	return p, nil
}

// fields names the places of a table's values by their keys. The key of a time ends in its unit.
type fields map[string]any

// fill sets fields to the values of the table with this name. Those that it lacks stay.
func (f *file) fill(name string, to fields) {
	for _, key := range slices.Sorted(maps.Keys(f.tables[name])) {
		place, known := to[key]
		if !known {
			f.unknown(name + "." + key)
		} else if err := set(place, key, f.tables[name][key]); err != nil {
			f.fail(fmt.Errorf("%s.%s: %w", name, key, err))
		}
	}
}

// set sets a place to the value of a key.
func set(place any, key, text string) (err error) {
	switch to := place.(type) {
	case *dimmnet.Time:
		var x float64
		x, err = strconv.ParseFloat(text, 64)
		if strings.HasSuffix(key, "_ns") {
			*to = dimmnet.Time(math.Round(x * float64(dimmnet.Nanosecond)))
		} else { // mb_s: the time of a byte
			*to = dimmnet.Time(math.Round(float64(dimmnet.Second) / (x * 1e6)))
		}
	case *int:
		*to, err = strconv.Atoi(text)
	case *bool:
		*to, err = strconv.ParseBool(text)
	case *string:
		*to, err = strconv.Unquote(text)
	default:
		panic(fmt.Sprintf("sim: presets: a value is kept in a %T", place))
	}
	return err
}

func (f *file) unknown(key string) { f.fail(fmt.Errorf("unknown key %s", key)) }

// fail notes the first error.
func (f *file) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// common returns what all machines have in common.
func (f *file) common() (p Preset) {
	n, l, c := &p.NIC, &p.Limits, &f.clocks
	f.fill("nic", fields{
		"llcm_bytes": &l.LLCM, "bank_bytes": &l.Bulk, "store_bytes": &l.Store, "block_bytes": &l.Block, "rdma_bytes": &l.RDMA,
		"header_bytes": &p.HeaderBytes, "push_packet_bytes": &p.PushBytes, "fifo": &p.FIFO, "windows": &p.Windows, "bank_mb_s": &n.BankByte,
		"interrupt_ns": &n.Interrupt, "htlb_refill_ns": &n.HTLBRefill, "push_start_ns": &n.PushStart, "flip_ns": &n.Flip,
		"capture_clocks": &c.capture, "queue_clocks": &c.queue, "htlb_clocks": &c.htlb, "size_clocks": &c.size, "handshake_clocks": &c.handshake,
		"send_swif_clocks": &c.send, "receive_swif_clocks": &c.receive, "bubble_swif_clocks": &c.bubble,
		"llcm_clocks": &c.llcm, "fill_clocks": &c.fill, "gap_clocks": &c.gap, "tlb_refill_clocks": &c.tlb,
	})
	e, u := &p.Ethernet, &p.UDP
	f.fill("ethernet", fields{
		"mb_s": &e.Byte, "frame_bytes": &e.FrameBytes, "min_frame_bytes": &e.MinFrame, "gap_bytes": &e.GapBytes,
		"ip_udp_bytes": &e.IPBytes, "packet_bytes": &e.Packet, "notice_bytes": &e.NoticeIP, "switch_ns": &e.Switch,
	})
	f.fill("udp", fields{
		"llcm_bytes": &u.Limits.LLCM, "store_bytes": &u.Limits.Store, "block_bytes": &u.Limits.Block,
		"window": &u.Conn.Window, "tries": &u.Conn.Tries, "first_timeout_ns": &u.Conn.FirstTimeout,
		"min_timeout_ns": &u.Conn.MinTimeout, "max_timeout_ns": &u.Conn.MaxTimeout, "ack_delay_ns": &u.Conn.AckDelay,
		"post_ns": &u.Post, "send_ns": &u.Send, "send_byte_ns": &u.SendByte,
		"receive_ns": &u.Receive, "receive_byte_ns": &u.ReceiveByte, "reply_ns": &u.Reply, "wake_ns": &u.Wake,
		"load_ns": &u.Load, "load_byte_ns": &u.LoadByte, "held_ns": &u.Held,
	})
	u.Conn.Payload = e.Packet - e.IPBytes - reliable.HeaderBytes
	return p
}

func (f *file) preset(name string, p Preset) Preset {
	var board, host string
	bubbles := true
	h, s, n := &p.Host, &p.Switch, &p.NIC
	f.fill("env."+name, fields{
		"board": &board, "host": &host, "switch": &s.Name, "direct": &p.Direct, "cpus": &h.CPUs, "bubbles": &bubbles,
	})
	p.Name = name
	f.fill("switch."+s.Name, fields{
		"ports": &s.Ports, "packet_ns": &s.Packet, "packet_bytes": &s.PacketBytes, "multicast": &s.Multicast,
	})
	var chipset, dimm, swif dimmnet.Time
	var own int
	work := &h.Costs.Work
	f.fill("host."+host, fields{
		"write_ns": &h.Write, "read_ns": &h.Read, "read_half_ns": &h.ReadHalf,
		"write_nommx_ns": &h.WriteNoMMX, "read_nommx_ns": &h.ReadNoMMX,
		"program_ns": &h.Program, "cycle_counter_ns": &h.CycleCounter, "chipset_ns": &chipset, "dimm_clock_ns": &dimm,
		"slice_ns": &h.Slice, "notify_ns": &h.Notify, "notice_ns": &h.Notice, "wake_ns": &h.Costs.Wake,
		"copy_mb_s": &work[dimmnet.Copy], "give_mb_s": &work[dimmnet.Give], "take_mb_s": &work[dimmnet.Take],
		"compare_mb_s": &work[dimmnet.Compare], "miss_ns": &work[dimmnet.Miss], "entry_ns": &work[dimmnet.Entry],
		"step_ns": &work[dimmnet.Step], "read_notice_ns": &work[dimmnet.Notice],
	})
	f.fill("board."+board, fields{
		"link_mb_s": &n.ByteTime, "outside_ns": &n.Outside.Time, "pad_bytes": &p.PadBytes, "swif_clock_ns": &swif, "own_swif_clocks": &own,
	})
	c := f.clocks
	// bubbles are needed if the DIMM clock is faster than the SWIF clock
	if bubbles && dimm < swif {
		c.receive += c.bubble
	}
	of := func(clock dimmnet.Time, clocks int) dimmnet.Time { return clock * dimmnet.Time(clocks) }
	n.Send = []Stage{
		{"chipset", chipset},
		{"capture of the host write", of(dimm, c.capture)},
		{"transaction queue", of(dimm, c.queue)},
		{"HTLB lookup", of(dimm, c.htlb)},
		{"size decision", of(dimm, c.size)},
		{"send-buffer handshake", of(dimm, c.handshake)},
		{"send SWIF", of(swif, c.send)},
	}
	n.Outside.Name = "outside the SWIF"
	n.Receive = []Stage{{"receive SWIF", of(swif, c.receive)}, {"LLCM write", of(dimm, c.llcm)}}
	n.Own, n.Gap, n.TLBRefill, h.Fill = of(swif, own), of(dimm, c.gap), of(dimm, c.tlb), of(dimm, c.fill)
	h.Costs.Turn = h.Read
	return p
}
