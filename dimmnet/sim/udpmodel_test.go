package sim_test

import (
	"context"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/dimmnet/sim/reliable"
)

// udpOn is a UDP network of hosts with cpus CPUs.
func udpOn(t *testing.T, cpus int, faults sim.UDP) sim.Config {
	t.Helper()
	cfg := withCPUs(t, cpus)
	cfg.UDP = &faults
	return cfg
}

// play runs body on a network and returns the result.
func play(t *testing.T, cfg sim.Config, nodes int, body func(dimmnet.Host) error) sim.Result {
	t.Helper()
	net := newNetwork(t, cfg)
	if err := net.Run(context.Background(), nodes, body); err != nil {
		t.Fatal(err)
	}
	return net.Result()
}

// writeAll writes n blocks of 1400 bytes to dst.
func writeAll(p dimmnet.Port, dst dimmnet.Rank, n int) error {
	for n > 0 && p.Err() == nil {
		mark := p.Arrivals()
		if p.Write(dst, 0, make([]byte, 1400)) {
			n--
		} else {
			p.Idle(mark)
		}
	}
	return p.Err()
}

// blockTime returns the time that a datagram with a block of 1400 bytes occupies a cable.
func blockTime() dimmnet.Time {
	const headers = 20 + 18 + 28 + 24 + 6 // gap, Ethernet, IP and UDP, reliable, record
	return (1400 + headers) * 80 * ns
}

func TestUDPOneWay(t *testing.T) {
	cfg := udpOn(t, 2, sim.UDP{})
	sum := udpOneWay(cfg.Preset)
	play(t, cfg, 2, func(h dimmnet.Host) error {
		if p := h.Port(); p.Rank() == 0 {
			p.Store(1, 8, 1, 8)
			return nil
		}
		err := pollUntil(h, 8)
		if h.Now() != sum {
			t.Errorf("the store is seen after %v, but the stages add up to %v", h.Now(), sum)
		}
		return err
	})
	if sum < 60*dimmnet.Microsecond || sum > 100*dimmnet.Microsecond {
		t.Errorf("the model takes %v one way, want 60 to 100 us, as such hosts", sum)
	}
}

func TestUDPBandwidthIsTheWires(t *testing.T) {
	const blocks = 500
	end := play(t, udpOn(t, 1, sim.UDP{}), 2, only(0, func(p dimmnet.Port) {
		if err := writeAll(p, 1, blocks); err != nil {
			t.Error(err)
		}
	})).End
	if wire := blocks * blockTime(); end < wire || end > wire+wire/20 {
		t.Errorf("%d blocks took %v, want little more than the %v of the wire", blocks, end, wire)
	}
}

// TestUDPContention: two senders share the output port of one receiver, but not the ports of
// two receivers.
func TestUDPContention(t *testing.T) {
	const blocks = 200
	for _, test := range []struct {
		to   [2]dimmnet.Rank
		want dimmnet.Time
	}{{[2]dimmnet.Rank{2, 2}, 2 * blocks}, {[2]dimmnet.Rank{2, 3}, blocks}} {
		end := play(t, udpOn(t, 1, sim.UDP{}), 4, func(h dimmnet.Host) error {
			if p := h.Port(); p.Rank() < 2 {
				return writeAll(p, test.to[p.Rank()], blocks)
			}
			return nil
		}).End
		if wire := test.want * blockTime(); end < wire || end > wire+wire/10 {
			t.Errorf("blocks to ranks %v took %v, want about %v", test.to, end, wire)
		}
	}
}

// TestUDPTakesCPU: a computing thread loses the time that the kernel spends on datagrams if no
// CPU is free. The datagrams are acknowledged meanwhile.
func TestUDPTakesCPU(t *testing.T) {
	const blocks = 300
	for _, cpus := range []int{1, 2} {
		cfg := udpOn(t, cpus, sim.UDP{})
		var took, sent dimmnet.Time
		result := play(t, cfg, 2, func(h dimmnet.Host) error {
			if h.Port().Rank() == 0 {
				err := writeAll(h.Port(), 1, blocks)
				h.Port().Load(0) // sends the last one
				sent = h.Now()
				return err
			}
			h.Spend(dimmnet.Second)
			took = h.Now()
			return nil
		})
		if sent > dimmnet.Second/2 {
			t.Errorf("%d CPUs: the blocks were acknowledged at %v: they waited for the receiver's thread", cpus, sent)
		}
		u, want := cfg.Preset.UDP, dimmnet.Second
		if cpus == 1 {
			acks := dimmnet.Time(result.UDP.Sent) - blocks
			want += blocks*(u.Receive+1430*u.ReceiveByte) + acks*(u.Reply+24*u.SendByte)
		}
		if took != want {
			t.Errorf("%d CPUs: a second of computing took %v, want %v", cpus, took, want)
		}
	}
}

// TestUDPWakesAtOnce: an idle thread takes the CPU from a computing thread, and gives it back.
func TestUDPWakesAtOnce(t *testing.T) {
	cfg := udpOn(t, 1, sim.UDP{})
	var woken, took dimmnet.Time
	way := udpOneWay(cfg.Preset)
	const at, work = 100 * dimmnet.Millisecond, 30 * dimmnet.Millisecond
	play(t, cfg, 2, func(h dimmnet.Host) error {
		if h.Port().Rank() == 0 {
			h.Spend(at)
			h.Port().Store(1, 8, 1, 8)
			return nil
		}
		h.Go("receive", func(h dimmnet.Host) error {
			err := pollUntil(h, 8)
			woken = h.Now()
			h.Spend(work)
			return err
		})
		h.Spend(dimmnet.Second)
		took = h.Now()
		return nil
	})
	if woken != at+way {
		t.Errorf("woken at %v, want %v", woken, at+way)
	}
	if least := dimmnet.Second + work; took < least || took > least+dimmnet.Millisecond {
		t.Errorf("a second of computing and %v of the receiver took %v", work, took)
	}
}

// TestUDPGathers: posts to one peer without other calls in between leave in one datagram;
// other calls send it.
func TestUDPGathers(t *testing.T) {
	for what, test := range map[string]struct {
		call func(dimmnet.Host)
		sent uint64 // datagrams with data
	}{
		"nothing": {func(dimmnet.Host) {}, 1},
		"mark":    {func(h dimmnet.Host) { h.Port().Arrivals() }, 1},
		"load":    {func(h dimmnet.Host) { h.Port().Load(0) }, 2},
		"spend":   {func(h dimmnet.Host) { h.Spend(0) }, 2},
		"note":    {func(h dimmnet.Host) { h.Note("x", 0) }, 2},
		"other":   {func(h dimmnet.Host) { h.Port().Store(2, 0, 1, 8) }, 3},
		"own":     {func(h dimmnet.Host) { h.Port().Store(0, 0, 1, 8) }, 2},
		"notify":  {func(h dimmnet.Host) { h.Notify(0) }, 2},
		"full":    {func(h dimmnet.Host) { h.Port().Write(1, 0, make([]byte, 1400)) }, 2},
	} {
		carried := uint64(0)
		cfg := udpOn(t, 1, sim.UDP{})
		last := dimmnet.Time(-1)
		cfg.Trace = func(r sim.Record) {
			if r.Note == "" && r.From == 0 && r.Rank != 0 && r.At != last {
				carried, last = carried+1, r.At
			}
		}
		play(t, cfg, 3, func(h dimmnet.Host) error {
			p := h.Port()
			if p.Rank() != 0 {
				return nil
			}
			for range 5 {
				p.Store(1, 64, 1, 8)
			}
			test.call(h)
			p.Store(1, 64, 1, 8)
			return nil
		})
		if carried != test.sent {
			t.Errorf("%s: the posts came by %d datagrams, want %d", what, carried, test.sent)
		}
	}
}

// TestUDPChecksProbabilities checks the validation of the configuration.
func TestUDPChecksProbabilities(t *testing.T) {
	nan := 0.0
	nan /= nan
	for _, faults := range []sim.UDP{{Loss: 1}, {Loss: -0.1}, {Duplicate: 1}, {Reorder: 2}, {Loss: nan}} {
		if _, err := sim.New(sim.Config{UDP: &faults}); err == nil {
			t.Errorf("%+v was accepted", faults)
		}
	}
	for i, spoil := range []func(*presets.Preset){
		func(p *presets.Preset) { p.Ethernet.Byte = 0 },
		func(p *presets.Preset) { p.UDP.Conn.Window = 65 },
		func(p *presets.Preset) { p.UDP.Limits.Block = 1443 },
		func(p *presets.Preset) { p.UDP.Load = 0 },
	} {
		cfg := udpOn(t, 1, sim.UDP{})
		spoil(cfg.Preset)
		if _, err := sim.New(cfg); err == nil {
			t.Errorf("invalid preset %d was accepted", i)
		}
	}
}

// TestUDPInterruptsKeepSlices: two computing threads share a CPU evenly although a third is
// woken more often than once a slice.
func TestUDPInterruptsKeepSlices(t *testing.T) {
	var ends [2]dimmnet.Time
	play(t, udpOn(t, 1, sim.UDP{}), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 0 {
			for i := range uint64(400) {
				h.Spend(5 * dimmnet.Millisecond)
				p.Store(1, 8, i+1, 8)
			}
			return nil
		}
		h.Go("second", func(h dimmnet.Host) error {
			h.Spend(dimmnet.Second / 2)
			ends[1] = h.Now()
			return nil
		})
		h.Go("receive", func(h dimmnet.Host) error {
			p := h.Port()
			for mark := p.Arrivals(); p.Load(8) < 400 && p.Err() == nil; mark = p.Arrivals() {
				p.Idle(mark)
			}
			return p.Err()
		})
		h.Spend(dimmnet.Second / 2)
		ends[0] = h.Now()
		return nil
	})
	for _, end := range ends {
		if end < 850*dimmnet.Millisecond || end > 1100*dimmnet.Millisecond {
			t.Errorf("two threads that compute for half a second each ended at %v, want 850 to 1100 ms", ends)
		}
	}
}

// udpOneWay returns the time of a Store to an idling peer, on an idle UDP network.
func udpOneWay(p *presets.Preset) dimmnet.Time {
	e, u := &p.Ethernet, &p.UDP
	payload := presets.RecordBytes + dimmnet.WordBytes
	wire := e.DatagramTime(reliable.HeaderBytes + payload)
	send := u.Post + u.Send + dimmnet.Time(payload)*u.SendByte
	interrupt := u.Receive + dimmnet.Time(reliable.HeaderBytes+payload)*u.ReceiveByte
	return send + wire + e.Switch + wire + interrupt + u.Wake + u.Load
}
