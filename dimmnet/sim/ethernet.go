package sim

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Ethernet is the 100BASE-TX network that joins the hosts, beside their NICs or, in
// UDP-Fagus, instead of them: each host by a cable to one switch, which has a port
// for every host, takes a frame in whole, and buffers without end.
type Ethernet struct {
	Byte       dimmnet.Time // one byte on a cable
	FrameBytes int          // header and check sequence of a frame
	MinFrame   int          // what a short one is padded to
	GapBytes   int          // preamble and gap: a frame occupies the cable for them too
	IPBytes    int          // headers of IP and UDP
	Packet     int          // largest IP packet in a frame
	NoticeIP   int          // IP packet of a notice: a TCP segment of a byte
	Switch     dimmnet.Time // from the last bit of a frame to the first on an idle output port
}

// wireTime is how long an IP packet occupies a cable.
func (e *Ethernet) wireTime(packet int) dimmnet.Time {
	return dimmnet.Time(max(e.FrameBytes+packet, e.MinFrame)+e.GapBytes) * e.Byte
}

// datagramTime is that of a UDP datagram.
func (e *Ethernet) datagramTime(payload int) dimmnet.Time { return e.wireTime(e.IPBytes + payload) }

func (e *Ethernet) check(preset string) error {
	if e.Byte <= 0 || e.Switch < 0 || min(e.FrameBytes, e.MinFrame, e.GapBytes, e.IPBytes, e.NoticeIP) < 0 || e.Packet <= e.IPBytes {
		return fmt.Errorf("sim: preset %q: Ethernet %+v", preset, *e)
	}
	return nil
}

// cables are when the two directions of a host's cable are free.
type cables struct {
	up   dimmnet.Time // to the switch
	down dimmnet.Time // the switch's output port
}

// transmit puts a frame on the cable of p.src, behind those before it and not
// before ready, and says when the switch has all of it.
func (k *kernel) transmit(p *packet, ready dimmnet.Time) (at dimmnet.Time) {
	up := &k.nodes[p.src].cables.up
	*up = max(*up, ready) + k.frameTime(p)
	return *up
}

// frameTime is how long a frame occupies a cable.
func (k *kernel) frameTime(p *packet) dimmnet.Time {
	e := &k.preset.Ethernet
	if p.kind == kindNotice {
		return e.wireTime(e.NoticeIP)
	}
	return e.datagramTime(int(p.size))
}

// switched passes a frame, which the switch has, through the output port of its
// receiver.
func (k *kernel) switched(ref int32, at dimmnet.Time) {
	p := k.packets.at(ref)
	down := &k.nodes[p.dst].cables.down
	*down = max(*down, at+k.preset.Ethernet.Switch) + k.frameTime(p)
	k.schedule(*down, evFrame, ref)
}

// frame is there, at its receiver.
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
		panic(fmt.Sprintf("sim: rank %d notifies rank %d: there are %d nodes", th.rank, dst, len(k.nodes)))
	}
	th.compute(k.preset.Host.Notify)
	th.sync()
	if dst == th.rank {
		k.schedule(th.now+k.preset.Host.Notice, evNotice, int32(dst))
		return
	}
	p := packet{kind: kindNotice, src: th.rank, dst: dst}
	k.schedule(k.held(th.rank, dst, k.transmit(&p, th.now)), evSwitch, k.packets.put(p))
}
