package apptest

import (
	"reflect"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/prk"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

// Kernel tests one of the Parallel Research Kernels. Its configuration, C, embeds prk.Loop.
type Kernel[C any] struct {
	Run   func(*fagus.Node, C) (prk.Result, error)
	Plain func(C, verify.Timer) prk.Result
	// Configs lists the configurations to run. The tests set their loops.
	Configs []C
	// Rounds means that rounding makes results inexact. Their errors are still within prk.Epsilon,
	// and their bits are the same everywhere.
	Rounds bool
	// Delayed is the index in Configs of the configuration to run with random delays.
	Delayed int
	// Invalid maps the name of a mistake to a configuration that Validate must reject.
	Invalid map[string]C
}

// Test runs all tests of a kernel as subtests.
func (k Kernel[C]) Test(t *testing.T) {
	t.Run("Everywhere", k.everywhere)
	t.Run("Delayed", k.delayed)
	t.Run("Plain", k.plain)
	t.Run("Spoiled", k.spoiled)
	t.Run("Validate", k.validate)
}

func (k Kernel[C]) with(cfg C, l prk.Loop) C {
	reflect.ValueOf(&cfg).Elem().FieldByName("Loop").Set(reflect.ValueOf(l))
	return cfg
}

func (k Kernel[C]) run(t testing.TB, on fagus.Config, cfg C, l prk.Loop) prk.Result {
	t.Helper()
	return First(t, k.Run, on, k.with(cfg, l))
}

// everywhere checks that results equal the closed form, and have the same bits everywhere.
func (k Kernel[C]) everywhere(t *testing.T) {
	limit, loop := 0.0, prk.Loop{Iterations: 4}
	if k.Rounds {
		limit = prk.Epsilon
	}
	want := make([]float64, len(k.Configs))
	for i, cfg := range k.Configs {
		want[i] = k.run(t, fagus.Config{Nodes: 1}, cfg, loop).Got
	}
	Everywhere(t, func(on fagus.Config) {
		for i, cfg := range k.Configs {
			if r := k.run(t, on, cfg, loop); r.Error > limit || r.Got != want[i] {
				t.Errorf("%d nodes, %v mode, %+v: result %v, want %g, and %v as on 1 node", on.Nodes, on.Mode, cfg, r.Got, r.Want, want[i])
			}
		}
	})
}

// delayed checks that the result does not depend on the order in which ranks wait for each other.
func (k Kernel[C]) delayed(t *testing.T) {
	Delayed(t, func(t *testing.T, seed uint64, on fagus.Config) {
		if r := k.run(t, on, k.Configs[k.Delayed], prk.Loop{Iterations: 5}); r.Error != 0 {
			t.Errorf("seed %d: %d nodes, %v mode: result %g, want %g", seed, on.Nodes, on.Mode, r.Got, r.Want)
		}
	})
}

func (k Kernel[C]) spoiled(t *testing.T) {
	for _, cfg := range k.Configs {
		for nodes := 1; nodes <= 4; nodes++ {
			if r := k.run(t, fagus.Config{Nodes: nodes}, cfg, prk.Loop{Iterations: 2, Options: verify.Options{Spoil: true}}); r.Error <= prk.Epsilon {
				t.Errorf("%d nodes, %+v: result %g passes for %g", nodes, cfg, r.Got, r.Want)
			}
		}
	}
}

// plain checks that the program without Fagus has the same result as a run on 2 nodes, that it
// times and reports the same iterations, and that its verification finds a planted error.
func (k Kernel[C]) plain(t *testing.T) {
	for _, cfg := range k.Configs {
		before, reported := 0, 0
		timer := func(section func()) fagus.Time { before = reported; section(); return 1 }
		loop := prk.Loop{Iterations: 4}
		want := k.run(t, fagus.Config{Nodes: 2}, cfg, loop)
		loop.Progress = func(iterations int) { reported += iterations }
		got := k.Plain(k.with(cfg, loop), timer)
		want.Time = 1
		if got != want || before != 1 || reported != loop.Total() {
			t.Errorf("%+v: plain has %+v, reports %d iterations, %d of them untimed; want %+v, %d and 1", cfg, got, reported, before, want, loop.Total())
		}
		if r := k.Plain(k.with(cfg, prk.Loop{Iterations: 2, Options: verify.Options{Spoil: true}}), timer); r.Error <= prk.Epsilon {
			t.Errorf("%+v: plain result %g passes for %g", cfg, r.Got, r.Want)
		}
	}
}

func valid(cfg any) error { return cfg.(interface{ Validate() error }).Validate() }

// validate checks that Validate rejects invalid configurations and a loop without iterations.
func (k Kernel[C]) validate(t *testing.T) {
	for what, cfg := range k.Invalid {
		cfg = k.with(cfg, prk.Loop{Iterations: 1})
		if valid(&cfg) == nil {
			t.Errorf("Validate, %s: no error", what)
		}
	}
	none := k.Configs[0]
	if valid(&none) == nil {
		t.Error("Validate, 0 iterations: no error")
	}
}
