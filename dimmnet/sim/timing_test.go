package sim_test

import (
	"context"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// oneWay is the time of one AOTF in nanoseconds, the sum of the rows of a table
// (docs/lab/papers.md, DIMMnet-1): CPU write, chipset, the send stages, outside the SWIF, the
// receive stages.
var oneWay = map[string]float64{
	"A":        53 + 60 + (45 + 30 + 45 + 15 + 15) + 64 + 127 + 144 + 15,
	"B":        53 + 60 + (30 + 20 + 30 + 10 + 10) + 64 + 127 + 144 + 10,
	"C":        53 + 60 + (45 + 30 + 45 + 15 + 15) + 40 + 148 + 70 + 15,
	"D":        53 + 60 + (30 + 20 + 30 + 10 + 10) + 40 + 148 + 70 + 10,
	"E":        59 + 60 + (30 + 20 + 30 + 10 + 10) + 40 + 148 + 70 + 10,
	"F":        59 + 60 + (30 + 20 + 30 + 10 + 10) + 64 + 127 + 144 + 10,
	"design":   7.5 + 60 + (22.5 + 15 + 22.5 + 7.5 + 7.5) + 40 + 148 + 70 + 7.5,
	"fagus2":   53 + 60 + (30 + 20 + 30 + 10 + 10) + 40 + 148 + 70 + 10,
	"sendrecv": 53 + 60 + (45 + 30 + 45 + 15 + 15) + 40 + 148 + 70 + 15,
}

// landings runs post on rank 0 of two ranks. It returns the times when the packets landed.
func landings(t *testing.T, env string, post func(dimmnet.Port)) (at []dimmnet.Time) {
	t.Helper()
	net := newNetwork(t, sim.Config{Env: env, Trace: func(r sim.Record) {
		if r.Note == "" {
			at = append(at, r.At)
		}
	}})
	err := net.Run(context.Background(), 2, func(h dimmnet.Host) error {
		if h.Port().Rank() == 0 {
			post(h.Port())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestStoreTakesItsStages(t *testing.T) {
	if len(oneWay) != len(presets.Envs()) {
		t.Errorf("there are %d environments, but %d expected times", len(presets.Envs()), len(oneWay))
	}
	for env, want := range oneWay {
		at := landings(t, env, func(p dimmnet.Port) { p.Store(1, 0, 1, 8) })
		preset, err := presets.Load(env)
		if err != nil {
			t.Fatal(err)
		}
		through := at[0]
		if !preset.Direct { // a switch, and the link behind it
			through -= (240 + 148) * dimmnet.Nanosecond
		}
		if through != dimmnet.Time(want*1000) || storeTime(&preset) != through {
			t.Errorf("%s: one AOTF takes %v, the preset says %v, the stages add up to %.1f ns", env, through, storeTime(&preset), want)
		}
	}
}

// TestDesignColumn compares with the sum that the papers print.
func TestDesignColumn(t *testing.T) {
	preset, err := presets.Load("design")
	if err != nil {
		t.Fatal(err)
	}
	if got := preset.NICLatency(); got != 192500*dimmnet.Picosecond {
		t.Errorf("NIC latency of the design column: %v, want 192.5 ns", got)
	}
}

func TestWriteTakesItsStages(t *testing.T) {
	// The costs are a status read, 62 words into the window and the kick. Then it takes the path
	// of a Store, and the payload
	const want = 173 + 62*10 + 53 + 60 + 100 + 40 + 148 + (464-8)*2 + 70 + 10 + 160
	at := landings(t, "D", func(p dimmnet.Port) { p.Write(1, 0, make([]byte, 464)) })
	if at[0] != want*dimmnet.Nanosecond {
		t.Errorf("one BOTF of 464 bytes takes %v, want %d ns", at[0], want)
	}
}

// TestLinkBoundsAStream checks that the slowest of CPU, link and receiver sets the distance
// between packets.
func TestLinkBoundsAStream(t *testing.T) {
	tests := []struct {
		env  string
		post func(dimmnet.Port) bool
		gap  dimmnet.Time // what the slowest of the three needs for a packet
	}{
		// the link: 128 bytes of 2 ns
		{"D", func(p dimmnet.Port) bool { return p.Store(1, 0, 1, 8) }, 128 * 2},
		// the receiver: 40 bytes and a gap
		{"B", func(p dimmnet.Port) bool { return p.Store(1, 0, 1, 8) }, 40*4 + 10*10},
		// the receiver
		{"D", func(p dimmnet.Port) bool { return p.Write(1, 0, make([]byte, 464)) }, 496*2 + 10*10},
		// the receiver
		{"B", func(p dimmnet.Port) bool { return p.Write(1, 0, make([]byte, 464)) }, 496*4 + 10*10},
		// the link
		{"D", func(p dimmnet.Port) bool { return p.Write(1, 0, make([]byte, 8)) }, 128 * 2},
	}
	for _, test := range tests {
		at := landings(t, test.env, func(p dimmnet.Port) {
			for range 20 {
				if !test.post(p) {
					t.Error("a post returned false")
				}
			}
		})
		for i := 8; i < len(at); i++ { // the first packet missed in the TLB
			if gap := at[i] - at[i-1]; gap != test.gap*dimmnet.Nanosecond {
				t.Errorf("%s: packets %d and %d land %v apart, want %d ns", test.env, i-1, i, gap, test.gap)
				break
			}
		}
	}
}

// TestSendBuffersAreAsLarge fills the send buffers to their limit while the link is blocked.
func TestSendBuffersAreAsLarge(t *testing.T) {
	preset, err := presets.Load("D")
	if err != nil {
		t.Fatal(err)
	}
	preset.NIC.ByteTime, preset.FIFO, preset.Windows = dimmnet.Second, 5, 3
	net := newNetwork(t, sim.Config{Preset: &preset})
	var stores, writes int
	err = net.Run(context.Background(), 2, func(h dimmnet.Host) error {
		if p := h.Port(); p.Rank() == 0 {
			for p.Store(1, 0, 1, 8) {
				stores++
			}
			for p.Write(1, 8, make([]byte, 8)) {
				writes++
			}
		}
		return nil
	})
	if err != nil || stores != 5 || writes != 3 {
		t.Errorf("%d AOTF and %d BOTF were posted, error %v, want 5 and 3", stores, writes, err)
	}
}

func TestPresetIsChecked(t *testing.T) {
	for i, spoil := range []func(*presets.Preset){
		func(p *presets.Preset) { p.Windows = 0 },
		func(p *presets.Preset) { p.FIFO = 0 },
		func(p *presets.Preset) { p.Switch.Ports = 7 },
		func(p *presets.Preset) { p.Switch.Ports = 2 },
		func(p *presets.Preset) { p.Limits.Block = 465 },
		func(p *presets.Preset) { p.Limits.RDMA = -1 },
		func(p *presets.Preset) { p.Limits.LLCM = 12 },
		func(p *presets.Preset) { p.Host.Read = -1 },
	} {
		preset, err := presets.Load("A")
		if err != nil {
			t.Fatal(err)
		}
		spoil(&preset)
		if _, err := sim.New(sim.Config{Preset: &preset}); err == nil {
			t.Errorf("invalid preset %d was accepted", i)
		}
	}
}

// storeTime returns the time of a store from its start to the peer's LLCM, on an idle direct link.
func storeTime(p *presets.Preset) dimmnet.Time {
	return p.Host.Write + presets.Total(p.NIC.Send) + p.NIC.Outside.Time + presets.Total(p.NIC.Receive)
}
