package sim_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// oneWay is the sum of spec/10's rows for one AOTF, in nanoseconds: CPU write,
// chipset, the send stages, outside the SWIF, the receive stages.
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

// landings runs post on rank 0 of two and returns when its packets landed.
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
	if len(oneWay) != len(sim.Envs()) {
		t.Errorf("%d environments, %d expected times", len(sim.Envs()), len(oneWay))
	}
	for env, want := range oneWay {
		at := landings(t, env, func(p dimmnet.Port) { p.Store(1, 0, 1, 8) })
		preset, err := sim.LoadPreset(env)
		if err != nil {
			t.Fatal(err)
		}
		through := at[0]
		if !preset.Direct { // a switch, and the link behind it
			through -= (240 + 148) * dimmnet.Nanosecond
		}
		if through != dimmnet.Time(want*1000) || preset.OneWay() != through {
			t.Errorf("%s: one AOTF takes %v, OneWay says %v, the stages add up to %.1f ns", env, through, preset.OneWay(), want)
		}
	}
}

// TestDesignColumn holds the sum that the papers print.
func TestDesignColumn(t *testing.T) {
	preset, err := sim.LoadPreset("design")
	if err != nil {
		t.Fatal(err)
	}
	if got := preset.NICLatency(); got != 192500*dimmnet.Picosecond {
		t.Errorf("NIC latency of the design column: %v, want 192.5 ns", got)
	}
}

func TestWriteTakesItsStages(t *testing.T) {
	// Status read, 62 words into the window, kick; then as a Store, the payload
	// behind its first word streaming in at 2 ns a byte; and a TLB miss.
	const want = 173 + 62*10 + 53 + 60 + 100 + 40 + 148 + (464-8)*2 + 70 + 10 + 160
	at := landings(t, "D", func(p dimmnet.Port) { p.Write(1, 0, make([]byte, 464)) })
	if at[0] != want*dimmnet.Nanosecond {
		t.Errorf("one BOTF of 464 bytes takes %v, want %d ns", at[0], want)
	}
}

// TestLinkBoundsAStream checks that packets follow each other as the slowest of
// CPU and link allows.
func TestLinkBoundsAStream(t *testing.T) {
	tests := []struct {
		env  string
		post func(dimmnet.Port) bool
		gap  dimmnet.Time // the longest of the times given
	}{
		{"D", func(p dimmnet.Port) bool { return p.Store(1, 0, 1, 8) }, 128 * 2},                    // the link: padded to 128 bytes, 2 ns each
		{"B", func(p dimmnet.Port) bool { return p.Store(1, 0, 1, 8) }, 40*4 + 10*10},               // the receiver: 40 bytes and its gap
		{"D", func(p dimmnet.Port) bool { return p.Write(1, 0, make([]byte, 464)) }, 496*2 + 10*10}, // the receiver
		{"B", func(p dimmnet.Port) bool { return p.Write(1, 0, make([]byte, 464)) }, 496*4 + 10*10}, // the receiver
		{"D", func(p dimmnet.Port) bool { return p.Write(1, 0, make([]byte, 8)) }, 128 * 2},         // the link
	}
	for _, test := range tests {
		at := landings(t, test.env, func(p dimmnet.Port) {
			for range 20 {
				if !test.post(p) {
					t.Error("not posted")
				}
			}
		})
		for i := 8; i < len(at); i++ { // the first met an empty TLB
			if gap := at[i] - at[i-1]; gap != test.gap*dimmnet.Nanosecond {
				t.Errorf("%s: packets %d and %d land %v apart, want %d ns", test.env, i-1, i, gap, test.gap)
				break
			}
		}
	}
}

// TestSendBuffersAreAsLarge posts on a link that is as good as blocked.
func TestSendBuffersAreAsLarge(t *testing.T) {
	preset, err := sim.LoadPreset("D")
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
		t.Errorf("%d AOTF and %d BOTF were taken, error %v, want 5 and 3", stores, writes, err)
	}
}

func TestPresetIsChecked(t *testing.T) {
	for i, spoil := range []func(*sim.Preset){
		func(p *sim.Preset) { p.Windows = 0 },
		func(p *sim.Preset) { p.FIFO = 0 },
		func(p *sim.Preset) { p.Switch.Ports = 7 },
		func(p *sim.Preset) { p.Switch.Ports = 2 },
		func(p *sim.Preset) { p.Limits.Block = 465 },
		func(p *sim.Preset) { p.Limits.RDMA = -1 },
		func(p *sim.Preset) { p.Limits.LLCM = 12 },
		func(p *sim.Preset) { p.Host.Read = -1 },
	} {
		preset, err := sim.LoadPreset("A")
		if err != nil {
			t.Fatal(err)
		}
		spoil(&preset)
		if _, err := sim.New(sim.Config{Preset: &preset}); err == nil {
			t.Errorf("spoiled preset %d was accepted", i)
		}
	}
}

// TestPresetsHaveSources holds that every number in presets.toml has a source
// beside it.
func TestPresetsHaveSources(t *testing.T) {
	text, err := os.ReadFile("presets.toml")
	if err != nil {
		t.Fatal(err)
	}
	sourced := regexp.MustCompile(`^[A-Za-z0-9_]+ = .*# .*spec/[0-9]+`)
	numbers := 0
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' || line[0] == '[' {
			continue
		}
		numbers++
		if !sourced.MatchString(line) {
			t.Errorf("presets.toml:%d: no source beside %q", i+1, line)
		}
	}
	if numbers < 40 {
		t.Errorf("found only %d numbers", numbers)
	}
}
