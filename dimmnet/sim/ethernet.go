package sim

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Ethernet is the 100BASE-TX network that joins the hosts: in addition to their NICs or, in
// UDP-Fagus, instead of them. Each host has a cable to one switch. The switch receives a frame in
// full before it forwards it, and its buffers are unlimited.
type Ethernet struct {
	Byte       dimmnet.Time // time of one byte on a cable
	FrameBytes int          // size of the header and the check sequence of a frame
	MinFrame   int          // shorter frames are padded to this size
	GapBytes   int          // size of preamble and gap, for which a frame also occupies the cable
	IPBytes    int          // size of the IP and UDP headers
	Packet     int          // largest IP packet in a frame
	NoticeIP   int          // size of a notice's IP packet: a TCP segment of one byte
	// delay from the last bit of a frame to its first bit on an idle output port
	Switch dimmnet.Time
}

func (e *Ethernet) wireTime(packet int) dimmnet.Time {
	return dimmnet.Time(max(e.FrameBytes+packet, e.MinFrame)+e.GapBytes) * e.Byte
}

func (e *Ethernet) datagramTime(payload int) dimmnet.Time { return e.wireTime(e.IPBytes + payload) }

func (e *Ethernet) check(preset string) error {
	if e.Byte <= 0 || e.Switch < 0 || min(e.FrameBytes, e.MinFrame, e.GapBytes, e.IPBytes, e.NoticeIP) < 0 || e.Packet <= e.IPBytes {
		return fmt.Errorf("sim: preset %q: invalid Ethernet %+v", preset, *e)
	}
	return nil
}

// cables holds the times from which the two directions of a host's cable are free.
type cables struct {
	up   dimmnet.Time // to the switch
	down dimmnet.Time // from the switch: its output port
}

// transmit puts a frame on p.src's cable after earlier frames. at is when the switch has it.
func (k *kernel) transmit(p *packet, ready dimmnet.Time) (at dimmnet.Time) {
	up := &k.nodes[p.src].cables.up
	*up = max(*up, ready) + k.frameTime(p)
	return *up
}

func (k *kernel) frameTime(p *packet) dimmnet.Time {
	e := &k.preset.Ethernet
	if p.kind == kindNotice {
		return e.wireTime(e.NoticeIP)
	}
	return e.datagramTime(int(p.size))
}

func (k *kernel) switched(ref int32, at dimmnet.Time) {
	p := k.packets.at(ref)
	down := &k.nodes[p.dst].cables.down
	*down = max(*down, at+k.preset.Ethernet.Switch) + k.frameTime(p)
	k.schedule(*down, evFrame, ref)
}

func (k *kernel) frame(ref int32, at dimmnet.Time) {
	p := k.packets.at(ref)
	if p.kind == kindDatagram {
		k.interrupted(ref, at)
		return
	}
	k.schedule(at+k.preset.Host.Notice, evNotice, int32(p.dst))
	k.packets.free(ref)
}

// Notify sends a notice; see [dimmnet.Host].
func (th *thread) Notify(dst dimmnet.Rank) {
	k := th.k
	if int(dst) >= len(k.nodes) {
		panic(fmt.Sprintf("sim: rank %d: Notify(%d): the run has %d nodes", th.rank, dst, len(k.nodes)))
	}
	th.compute(k.preset.Host.Notify, false)
	th.sync()
	if dst == th.rank {
		k.schedule(th.now+k.preset.Host.Notice, evNotice, int32(dst))
		return
	}
	p := packet{kind: kindNotice, src: th.rank, dst: dst}
	k.schedule(k.held(th.rank, dst, k.transmit(&p, th.now)), evSwitch, k.packets.put(p))
}
