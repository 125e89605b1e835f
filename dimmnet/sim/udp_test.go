package sim_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// bad is a network with every kind of fault.
func bad() *sim.UDP { return &sim.UDP{Loss: 0.2, Duplicate: 0.1, Reorder: 0.2} }

// impatient is an environment in which a lost datagram is sent again soon and a load takes
// long. Otherwise ranks that load without idling would load a hundred million times.
func impatient(t *testing.T, env string) *presets.Preset {
	t.Helper()
	preset, err := presets.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	u := &preset.UDP
	u.Conn.FirstTimeout, u.Conn.MinTimeout, u.Conn.MaxTimeout = 3*dimmnet.Millisecond, 2*dimmnet.Millisecond, 20*dimmnet.Millisecond
	u.Load = 500 * ns
	return &preset
}

func TestUDPPort(t *testing.T) {
	for name, cfg := range map[string]sim.Config{
		"good": {UDP: &sim.UDP{}},
		"seed": {UDP: &sim.UDP{}, Seed: 1},
		"bad":  {UDP: bad(), Seed: 2, Preset: impatient(t, "fagus2")},
		"D":    {UDP: bad(), Preset: impatient(t, "D")}, // one CPU
	} {
		t.Run(name, func(t *testing.T) {
			porttest.Run(t, func() dimmnet.Network { return newNetwork(t, cfg) })
		})
	}
}
