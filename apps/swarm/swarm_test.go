package swarm_test

import (
	"reflect"
	"testing"

	"github.com/fagus-dsm/fagus/apps/swarm"
)

// TestSwarm runs some cases. The command fagus lab swarm runs many more.
func TestSwarm(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 60
	}
	struck := make(map[swarm.Kind]int)
	var content int
	for seed := range seeds {
		c := swarm.New(seed, nil)
		o, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if o.Failure != nil {
			t.Errorf("%v\n%v", o.Failure, c)
		}
		content += o.Content
		for i, f := range c.Faults {
			if o.Result.Struck[i] {
				struck[swarm.Kind(f.Kind)]++
			}
		}
	}
	for _, kind := range []swarm.Kind{swarm.Pause, swarm.Crash, swarm.Partition, swarm.Corrupt} {
		if struck[kind] == 0 {
			t.Errorf("no disturbance of kind %s happened in %d cases", kind, seeds)
		}
	}
	if content == 0 {
		t.Error("the swarm compared no contents")
	}
	t.Logf("%d cases, %d bytes compared, struck: %v", seeds, content, struck)
}

// TestSwarmReduces runs cases in which every round ends with a Reduce or an Update.
func TestSwarmReduces(t *testing.T) {
	seeds := uint64(100)
	if testing.Short() {
		seeds = 20
	}
	reduces := 0
	for seed := range seeds {
		c := swarm.New(seed, nil)
		for i := range c.Rounds {
			if c.Rounds[i].End != swarm.Update {
				c.Rounds[i].End = swarm.Reduce
				reduces++
			}
		}
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
		o, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if o.Failure != nil {
			t.Errorf("%v\n%v", o.Failure, c)
		}
	}
	if reduces == 0 {
		t.Error("no round ended with a Reduce")
	}
}

// TestSameSeedSameRun checks that a seed always generates the same case, and that a case always
// runs the same.
func TestSameSeedSameRun(t *testing.T) {
	for i := range uint64(40) {
		seed, generate := i/2, swarm.New
		if i%2 == 1 {
			generate = swarm.NewCycles
		}
		c, again := generate(seed, nil), generate(seed, nil)
		if !reflect.DeepEqual(c, again) {
			t.Fatalf("seed %d makes\n%v\nand then\n%v", seed, c, again)
		}
		o, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p, err := again.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(o, p) {
			t.Errorf("seed %d: the first run gives %+v, the second %+v", seed, o, p)
		}
	}
}

// TestEndOvertakesNothing runs a case in which a rank was in End while a message to a peer had no
// slot free. The peer ended, and the message waited for ever.
func TestEndOvertakesNothing(t *testing.T) {
	c := swarm.New(2864, nil)
	o, err := c.Run(t.Context())
	if err != nil || o.Failure != nil {
		t.Errorf("seed 2864: %+v, error %v", o.Failure, err)
	}
}
