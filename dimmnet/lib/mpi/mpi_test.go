package mpi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// TestSizes sends messages of all sizes in both directions. The receiver comes first or last,
// with or without a probe.
func TestSizes(t *testing.T) {
	everywhere(t, 2, func(c *Comm) error {
		for i, n := range sizes(c) {
			for _, from := range []int{0, 1, 0} {
				seed := uint64(10*i + from)
				if c.Rank() == from {
					if err := c.Send(noise(n, seed), 1-from, i); err != nil {
						return err
					}
					continue
				}
				if i%2 == 0 {
					if s, err := c.Probe(AnySource, AnyTag); err != nil || s != (Status{from, i, n}) {
						return fmt.Errorf("probe: %+v, %w", s, err)
					}
				}
				if err := c.expect(n, seed, from, i, from, i); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// TestOrder checks that messages with one tag do not overtake each other, whatever their sizes,
// and that messages with another tag can be received first.
func TestOrder(t *testing.T) {
	everywhere(t, 2, func(c *Comm) error {
		list := sizes(c)
		if c.Rank() == 0 {
			var sent []*Request
			for round := range 4 {
				for i, n := range list {
					r, err := c.Isend(noise(n, uint64(round*100+i)), 1, round%2)
					if err != nil {
						return err
					}
					sent = append(sent, r)
				}
			}
			_, err := Waitall(sent...)
			return err
		}
		for _, round := range []int{1, 3, 0, 2} {
			for i, n := range list {
				src, tag := 0, round%2
				if i%2 == 1 {
					src = AnySource
				}
				if round == 2 {
					tag = AnyTag // only these are left
				}
				if err := c.expect(n, uint64(round*100+i), src, tag, 0, round%2); err != nil {
					return fmt.Errorf("round %d, message %d: %w", round, i, err)
				}
			}
		}
		return nil
	})
}

// TestWildcards receives from all ranks by wildcards.
func TestWildcards(t *testing.T) {
	const nodes, each = 4, 6
	everywhere(t, nodes, func(c *Comm) error {
		list := sizes(c)
		if c.Rank() != 0 {
			for i := range each {
				if err := c.Send(noise(list[i], uint64(c.Rank()*each+i)), 0, i); err != nil {
					return err
				}
			}
			return nil
		}
		next := make([]int, nodes)
		for range (nodes - 1) * each {
			p := bytes.Repeat([]byte{0xa5}, 10*max(c.Eager(), 40)+3)
			s, err := c.Recv(p, AnySource, AnyTag)
			if err != nil {
				return err
			}
			i := next[s.Source]
			next[s.Source]++
			if err := got(p, s, Status{s.Source, i, list[i]}, uint64(s.Source*each+i)); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestSelf sends to the rank itself. A blocking Send does so only up to the eager limit.
func TestSelf(t *testing.T) {
	everywhere(t, 1, func(c *Comm) error {
		for i, n := range sizes(c) {
			if n <= c.Eager() {
				if err := c.Send(noise(n, 1), 0, i); err != nil {
					return err
				}
				if err := c.expect(n, 1, AnySource, i, 0, i); err != nil {
					return err
				}
			}
			in := bytes.Repeat([]byte{0xa5}, n+3)
			s, err := c.Sendrecv(noise(n, 2), 0, i, in, 0, AnyTag)
			if err != nil {
				return err
			}
			if err := got(in, s, Status{0, i, n}, 2); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestRequests checks Test, Testany, Waitany and Iprobe.
func TestRequests(t *testing.T) {
	everywhere(t, 2, func(c *Comm) error {
		other, n := 1-c.Rank(), 10*max(c.Eager(), 40)
		if c.Rank() == 0 {
			var list []*Request
			in := make([][]byte, 4)
			for i := range in {
				in[i] = bytes.Repeat([]byte{0xa5}, n+3)
				r, err := c.Irecv(in[i], other, i)
				if err != nil {
					return err
				}
				list = append(list, r)
			}
			if i, _, err := Testany(list...); i >= 0 || err != nil {
				return fmt.Errorf("Testany: %d, %w, before anything was sent", i, err)
			}
			if err := c.Send(nil, other, 99); err != nil {
				return err
			}
			for range in {
				i, s, err := Waitany(list...)
				if err != nil {
					return err
				}
				if err := got(in[i], s, Status{other, i, n}, uint64(i)); err != nil {
					return err
				}
				if _, err := list[i].Wait(); !errors.Is(err, ErrUsed) {
					return fmt.Errorf("a request waited for twice: %w", err)
				}
				if _, err := Waitall(list...); !errors.Is(err, ErrUsed) {
					return fmt.Errorf("a request waited for twice: %w", err)
				}
				list[i] = nil
			}
			if i, _, err := Waitany(list...); i != -1 || err != nil {
				return fmt.Errorf("Waitany of nothing: %d, %w", i, err)
			}
			return nil
		}
		for {
			s, found, err := c.Iprobe(AnySource, 99)
			if err != nil {
				return err
			}
			if found {
				if s != (Status{0, 99, 0}) {
					return fmt.Errorf("Iprobe: %+v", s)
				}
				break
			}
		}
		if err := c.expect(0, 0, 0, 99, 0, 99); err != nil {
			return err
		}
		for _, i := range []int{2, 0, 3, 1} {
			r, err := c.Isend(noise(n, uint64(i)), other, i)
			if err != nil {
				return err
			}
			for done := false; !done; {
				if _, done, err = r.Test(); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// TestTruncated checks that a message that is too long fills the buffer and is an error only for
// its receiver, which can continue.
func TestTruncated(t *testing.T) {
	everywhere(t, 2, func(c *Comm) error {
		for i, n := range sizes(c)[1:] {
			for _, room := range []int{0, n / 2, n - 1} {
				if c.Rank() == 0 {
					if err := c.Send(noise(n, uint64(i)), 1, i); err != nil {
						return err
					}
					continue
				}
				p := make([]byte, room)
				s, err := c.Recv(p, 0, i)
				if !errors.Is(err, ErrTruncated) || s != (Status{0, i, room}) || !bytes.Equal(p, noise(n, uint64(i))[:room]) {
					return fmt.Errorf("%d bytes to %d: %+v, %w", n, room, s, err)
				}
			}
		}
		return nil
	})
}

// TestComms checks that messages of one communicator do not match receives of another, and that
// Split orders ranks by key.
func TestComms(t *testing.T) {
	const nodes = 5
	everywhere(t, nodes, func(c *Comm) error {
		comms, err := communicators(c)
		if err != nil {
			return err
		}
		split := comms[2]
		if size := (nodes + 1 - c.Rank()%2) / 2; split.Size() != size || split.Rank() != size-1-c.Rank()/2 {
			return fmt.Errorf("rank %d of %d", split.Rank(), split.Size())
		}
		var sent []*Request
		for i, one := range comms {
			r, err := one.Isend(noise(9, uint64(i)), 0, 0)
			if err != nil {
				return err
			}
			sent = append(sent, r)
		}
		for i := len(comms) - 1; i >= 0; i-- {
			one := comms[i]
			for src := range one.Size() {
				if one.Rank() == 0 {
					if err := one.expect(9, uint64(i), src, AnyTag, src, 0); err != nil {
						return err
					}
				}
			}
		}
		if _, err := Waitall(sent...); err != nil {
			return err
		}
		none, err := c.Split(-1, 0)
		if none != nil || err != nil {
			return fmt.Errorf("a communicator for no color: %v, %w", none, err)
		}
		return nil
	})
}

// TestMistakes checks that mistakes give clear errors and change nothing.
func TestMistakes(t *testing.T) {
	err := run(inproc.New(inproc.Config{}), 2, Options{}, func(c *Comm) error {
		p := make([]byte, 8)
		for want, try := range map[string]func() error{
			"rank 2: the communicator has 2":           func() error { return c.Send(p, 2, 0) },
			"rank -1: the communicator has 2":          func() error { return c.Send(p, AnySource, 0) },
			"tag -1: want 0 to 1073741823":             func() error { return c.Send(p, 0, AnyTag) },
			"tag 1073741824: want 0":                   func() error { _, err := c.Recv(p, 0, MaxTag+1); return err },
			"rank -2: the communicator":                func() error { _, err := c.Probe(-2, 0); return err },
			"rank 7: the communicator":                 func() error { return c.Bcast(p, 7) },
			"bytes 0 to 9 are outside the buffer of 8": func() error { return c.SendType(p, Bytes(9), 0, 0) },
			"operation 0":                              func() error { return Reduce(c, []int{1}, []int{1}, 0, 0) },
			"1 elements into 2":                        func() error { return Allreduce(c, []int{1}, []int{1, 2}, Sum) },
		} {
			if err := try(); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "mpi: ") {
				return fmt.Errorf("error %w, want %q", err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for want, opts := range map[string]Options{
		"Options.Eager is 100000000: the link": {Eager: 100_000_000},
		"from offset 4 on":                     {LLCM: 4},
		"rings of 100000000 bytes for 2 nodes": {Ring: 100_000_000},
		"rings of 8 bytes for 2 nodes":         {Ring: 8},
	} {
		err := run(inproc.New(inproc.Config{}), 2, opts, func(*Comm) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestFinalize checks that an incomplete request is an error, and that the communicator is
// unusable afterwards.
func TestFinalize(t *testing.T) {
	err := run(inproc.New(inproc.Config{}), 2, Options{}, func(c *Comm) error {
		_, err := c.Irecv(nil, 0, 0)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "with 1 incomplete requests") {
		t.Error(err)
	}
	err = run(inproc.New(inproc.Config{}), 2, Options{Eager: 5}, func(c *Comm) error {
		if err := c.Finalize(); err != nil {
			return err
		}
		if err := c.Send(nil, 0, 0); err == nil {
			return errors.New("a Send after Finalize")
		}
		c.engine.err = nil // so that Run's own Finalize succeeds
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestDeadlock checks that the network detects two ranks that both wait.
func TestDeadlock(t *testing.T) {
	for _, network := range []dimmnet.Network{inproc.New(inproc.Config{}), simulated(sim.Config{})} {
		err := run(network, 2, Options{}, func(c *Comm) error {
			return c.Send(make([]byte, c.Eager()+1), 1-c.Rank(), 0)
		})
		if !errors.Is(err, dimmnet.ErrDeadlock) {
			t.Error(err)
		}
	}
}

// TestDeterminism checks that the same program has the same trace, also if the simulator runs
// all polling passes. The program sends more at once than the NIC has windows.
func TestDeterminism(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 5_000
	}
	for _, opts := range []Options{{}, {Ring: 1024}} {
		for _, seed := range []uint64{0, 5} {
			var hashes []uint64
			for _, spin := range []bool{false, false, true} {
				network := simulated(sim.Config{Seed: seed, MaxDelay: 3 * dimmnet.Microsecond, Spin: spin})
				err := run(network, 5, opts, func(c *Comm) error {
					in, out := make([]byte, n*c.Size()), make([]byte, n*c.Size())
					if err := c.Alltoall(in, out); err != nil {
						return err
					}
					_, err := pingPongOn(c, 5*n, 2)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				hashes = append(hashes, network.Result().TraceHash)
			}
			if hashes[0] != hashes[1] || hashes[0] != hashes[2] {
				t.Errorf("%+v, seed %d: trace hashes %x", opts, seed, hashes)
			}
		}
	}
}

// TestStats checks that the eager limit is the longest message that is sent at once.
func TestStats(t *testing.T) {
	err := run(inproc.New(inproc.Config{}), 2, Options{Eager: 50}, func(c *Comm) error {
		for _, n := range []int{0, 49, 50, 51, 500} {
			p := make([]byte, n)
			if c.Rank() == 0 {
				if err := c.Send(p, 1, n); err != nil {
					return err
				}
			} else if _, err := c.Recv(p, 0, n); err != nil {
				return err
			}
		}
		if s := c.Stats(); c.Rank() == 0 && s != (Stats{Eager: 3, Rendezvous: 2}) {
			return fmt.Errorf("%+v", s)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestContext checks that waiting ends with the run's context.
func TestContext(t *testing.T) {
	for _, network := range networks() {
		ctx, cancel := context.WithCancel(context.Background())
		err := network.new().Run(ctx, 2, func(h dimmnet.Host) error {
			return Run(h, Options{}, func(c *Comm) error {
				if c.Rank() == 0 {
					_, err := c.Recv(nil, 1, 0)
					if _, again := c.Recv(nil, 1, 0); again == nil {
						return errors.New("a Recv after the run has failed")
					}
					return err
				}
				if err := c.Send(nil, 1, 0); err != nil { // so that rank 1 has something to test
					return err
				}
				cancel()
				for {
					// The message never arrives, so only the context ends this loop.
					if _, _, err := c.Iprobe(0, 1); err != nil {
						return err
					}
				}
			})
		})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", network.name, err)
		}
	}
}

// TestSmallMistakes checks mistakes with requests and types.
func TestSmallMistakes(t *testing.T) {
	check := func(err error, want string) error {
		if err == nil || !strings.Contains(err.Error(), want) {
			return fmt.Errorf("error %w, want %q", err, want)
		}
		return nil
	}
	requests := make([]*Request, 2) // by rank
	err := run(inproc.New(inproc.Config{}), 2, Options{}, func(c *Comm) error {
		r, err := c.Isend([]byte("abc"), c.Rank(), 0)
		if err != nil {
			return err
		}
		requests[c.Rank()] = r
		if err := c.Barrier(); err != nil {
			return err
		}
		_, foreign := Waitall(nil, requests[0], requests[1])
		_, _, also := Waitany(requests...)
		_, _, too := Testany(requests...)
		if err := c.Barrier(); err != nil { // before any rank uses one
			return err
		}
		_, twice := Waitall(r, r)
		_, _, used := r.Test()
		half, err := c.Split(c.Rank(), 0)
		if err != nil {
			return err
		}
		p := make([]byte, 3)
		in, err := c.Irecv(p, AnySource, AnyTag)
		if err != nil {
			return err
		}
		i, s, err := Testany(nil, in)
		for i < 0 && err == nil {
			i, s, err = Testany(nil, in)
		}
		if i != 1 || err != nil || s != (Status{c.Rank(), 0, 3}) || string(p) != "abc" {
			return fmt.Errorf("Testany: %d, %+v, %w", i, s, err)
		}
		_, short := Bytes(4).Pack(p)
		for _, err := range []error{
			check(foreign, "request 2 belongs to another rank"),
			check(also, "request 1 belongs to another rank"),
			check(too, "request 1 belongs to another rank"),
			check(twice, ErrUsed.Error()),
			check(used, ErrUsed.Error()),
			check(half.Finalize(), "Finalize a communicator of 1 ranks: want one of all 2"),
			check(short, "bytes 0 to 4 are outside the buffer of 3"),
			check(Bytes(2).Unpack(p, p), "unpack a message of 3 bytes: the type has 2"),
			check(Bytes(4).Unpack(p, p), "bytes 0 to 4 are outside the buffer of 3"),
			check(c.SendType(p, Contiguous(2, Bytes(2)), 0, 0), "bytes 0 to 4"),
			check(Accumulate(&Window{}, []int{1}, 0, 0, Sum), "has been freed"),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for want, f := range map[string]func(){
		"2 lengths and 1 starts": func() { Indexed([]int{1, 1}, []int{0}, Bytes(1)) },
		"a block at offset -8":   func() { Vector(2, 1, -1, Bytes(8)) },
	} {
		func() {
			defer func() {
				if err := check(fmt.Errorf("%v", recover()), want); err != nil {
					t.Error(err)
				}
			}()
			f()
		}()
	}
}
