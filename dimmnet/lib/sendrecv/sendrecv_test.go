package sendrecv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// order says which rank comes first.
type order int

const (
	receiverFirst order = iota
	senderFirst
	bothFirst
)

func (o order) String() string {
	return [...]string{"receiver first", "sender first", "both first"}[o]
}

// shuttered is network with a shutterPort at each rank.
func shuttered(network dimmnet.Network) dimmnet.Network {
	return porttest.Wrap(network, func(p dimmnet.Port) dimmnet.Port {
		return &shutterPort{Port: p, seen: map[dimmnet.Offset]uint64{}}
	})
}

// await delays the rank that comes second in the next message.
func (o order) await(e *Endpoint, peer dimmnet.Rank, sends bool) error {
	switch {
	case o == bothFirst:
		e.port.(*shutterPort).close()
	case sends == (o == receiverFirst):
		return e.peerFirst(peer)
	}
	return nil
}

// receive receives n bytes made from seed into a longer buffer.
func (e *Endpoint) receive(src dimmnet.Rank, n, spare int, seed uint64) error {
	p := bytes.Repeat([]byte{0xa5}, n+spare)
	got, err := e.Recv(src, p)
	switch {
	case err != nil:
		return err
	case got != n:
		return fmt.Errorf("message of %d bytes from rank %d: received %d", n, src, got)
	case !bytes.Equal(p[:n], noise(n, seed)):
		return fmt.Errorf("message of %d bytes from rank %d: wrong bytes", n, src)
	case !bytes.Equal(p[n:], bytes.Repeat([]byte{0xa5}, spare)):
		return fmt.Errorf("message of %d bytes from rank %d: bytes after it have changed", n, src)
	}
	return nil
}

func sizes(short bool) []int {
	list := []int{0, 1, 463, 464, 465, 928, 929, 4095, 4096, 4097, 64 << 10}
	if short {
		return append(list, 1<<18+3)
	}
	return append(list, 1<<20-1, 1<<20, 1<<20+1, 3<<20+5)
}

// TestSizes sends messages of all sizes in both directions, in every order and by every
// primitive, through areas of 1 MB and of 3 buffers. Unless long tests run, the largest sizes are
// sent with one threshold only.
func TestSizes(t *testing.T) {
	for _, network := range networks() {
		for _, o := range []order{receiverFirst, senderFirst, bothFirst} {
			for _, botf := range []int{0, -1, 928, 1 << 30} {
				for _, bulk := range []int{1 << 20, 3 * bufferBytes} {
					list := sizes(testing.Short() || bulk < 1<<20 || botf != 0 && !longtest.Thorough())
					t.Run(fmt.Sprintf("%s/%v/botf=%d/bulk=%d", network.name, o, botf, bulk), func(t *testing.T) {
						run(t, shuttered(network.new(bulk)), 2, Config{BOTF: botf}, func(e *Endpoint) error {
							return toAndFro(e, o, botf, list)
						})
					})
				}
			}
		}
	}
}

// toAndFro is a rank's part of TestSizes.
func toAndFro(e *Endpoint, o order, botf int, list []int) error {
	own := e.port.Rank()
	var want Stats
	for i, n := range list {
		for _, from := range []dimmnet.Rank{0, 1, 1} {
			seed := uint64(i)<<8 | uint64(from)
			if err := o.await(e, 1-own, own == from); err != nil {
				return err
			}
			if own == from {
				want.Sent++
				if err := e.Send(1-own, noise(n, seed)); err != nil {
					return err
				}
			} else {
				want.Received++
				if err := e.receive(from, n, i%3, seed); err != nil {
					return err
				}
			}
			round := e.layout.areaBytes()
			switch {
			case o == senderFirst:
				want.Pull++
			case n <= e.botf || n == 0:
				want.BOTF++
				round = max(1, e.layout.landing)
			default:
				want.Push++
			}
			want.Rounds += uint64(max(1, (n+round-1)/round))
			if e.Stats() != want {
				return fmt.Errorf("%v, BOTF %d, after a message of %d bytes: %+v, want %+v", o, botf, n, e.Stats(), want)
			}
		}
	}
	return nil
}

// TestPosts counts the posts of each rank for one message.
func TestPosts(t *testing.T) {
	type posts struct{ stores, writes, pushes, pulls uint64 }
	for _, c := range []struct {
		o               order
		botf, n         int
		sends, receives posts
	}{
		{receiverFirst, 0, 0, posts{stores: 1}, posts{stores: 1}},
		{receiverFirst, 0, 464, posts{stores: 1, writes: 1}, posts{stores: 1}},
		{receiverFirst, 928, 928, posts{stores: 1, writes: 2}, posts{stores: 1}},
		// One of the two stores clears the done word.
		{receiverFirst, 0, 465, posts{stores: 2, pushes: 1}, posts{stores: 1}},
		{receiverFirst, 0, 8193, posts{stores: 5, pushes: 2}, posts{stores: 2}},
		{senderFirst, 0, 0, posts{stores: 1}, posts{stores: 1}},
		{senderFirst, 0, 464, posts{stores: 1}, posts{stores: 2, pulls: 1}},
		{senderFirst, 0, 8193, posts{stores: 2}, posts{stores: 5, pulls: 2}},
		{bothFirst, 0, 464, posts{stores: 2, writes: 1}, posts{stores: 1}},
		{bothFirst, 0, 465, posts{stores: 3, pushes: 1}, posts{stores: 1}},
	} {
		for _, network := range networks() {
			run(t, shuttered(network.new(2*bufferBytes)), 2, Config{BOTF: c.botf}, func(e *Endpoint) error {
				sends, want := e.port.Rank() == 0, c.receives
				before := e.port.Counters()
				if err := c.o.await(e, 1-e.port.Rank(), sends); err != nil {
					return err
				}
				var err error
				if sends {
					want = c.sends
					err = e.Send(1, noise(c.n, 0))
				} else {
					err = e.receive(0, c.n, 0, 0)
				}
				d := e.port.Counters().Minus(before)
				if got := (posts{d.Stores, d.Writes, d.Pushes, d.Pulls}); got != want {
					t.Errorf("%s, %v, %d bytes, rank %d: %+v, want %+v", network.name, c.o, c.n, e.port.Rank(), got, want)
				}
				return err
			})
		}
	}
}

// TestTooLong checks that both ranks get the error with both lengths, and can continue.
func TestTooLong(t *testing.T) {
	for _, network := range networks() {
		for _, o := range []order{receiverFirst, senderFirst, bothFirst} {
			run(t, shuttered(network.new(2*bufferBytes)), 2, Config{}, func(e *Endpoint) error {
				for _, n := range []int{1, 465, 100_000} {
					sends := e.port.Rank() == 0
					if err := o.await(e, 1-e.port.Rank(), sends); err != nil {
						return err
					}
					var err error
					if sends {
						err = e.Send(1, make([]byte, n))
					} else {
						_, err = e.Recv(0, make([]byte, n-1))
					}
					want := fmt.Sprintf("from rank 0 to 1: the message is longer than the receive buffer: %d bytes, the buffer has %d", n, n-1)
					if !errors.Is(err, ErrTooLong) || !strings.Contains(err.Error(), want) {
						return fmt.Errorf("%v: error %v, want %s", o, err, want)
					}
					if sends {
						err = e.Send(1, noise(n, 1))
					} else {
						err = e.receive(0, n, 0, 1)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
}

// TestClash checks that two ranks in the same call both get an error, whichever is first, and
// can continue.
func TestClash(t *testing.T) {
	for _, network := range networks() {
		for _, o := range []order{receiverFirst, senderFirst, bothFirst} {
			run(t, shuttered(network.new(2*bufferBytes)), 2, Config{}, func(e *Endpoint) error {
				own, peer := e.port.Rank(), 1-e.port.Rank()
				for _, send := range []bool{true, false} {
					if err := o.await(e, peer, own == 0); err != nil {
						return err
					}
					err := e.same(send, peer, 9000)
					if !errors.Is(err, ErrClash) || !strings.Contains(err.Error(), fmt.Sprintf("ranks %d and %d", own, peer)) {
						return fmt.Errorf("%v: error %v, want %v", o, err, ErrClash)
					}
				}
				if own == 0 {
					return e.Send(1, noise(9000, 2))
				}
				return e.receive(0, 9000, 0, 2)
			})
		}
	}
}

// same sends or receives n bytes.
func (e *Endpoint) same(send bool, peer dimmnet.Rank, n int) error {
	if send {
		return e.Send(peer, make([]byte, n))
	}
	_, err := e.Recv(peer, make([]byte, n))
	return err
}

func TestWrongRank(t *testing.T) {
	network := inproc.New(inproc.Config{Bulk: 1 << 20})
	run(t, network, 1, Config{}, func(e *Endpoint) error {
		for peer, want := range []string{"rank 0 with itself", "with rank 1: there are only 1 ranks"} {
			for _, send := range []bool{true, false} {
				if err := e.same(send, dimmnet.Rank(peer), 1); err == nil || !strings.Contains(err.Error(), want) {
					return fmt.Errorf("error %v, want %s", err, want)
				}
			}
		}
		return nil
	})
}

// TestFailedPort checks that a call ends in every stage when its port fails.
func TestFailedPort(t *testing.T) {
	stop := errors.New("stop")
	for _, send := range []bool{true, false} {
		err := inproc.New(inproc.Config{Bulk: 1 << 20}).Run(context.Background(), 2, func(h dimmnet.Host) error {
			e, err := New(h.Port(), Config{})
			if err != nil {
				return err
			}
			if h.Port().Rank() == 0 { // rank 1 has to wait
				if err := e.peerFirst(1); err != nil {
					return err
				}
				return stop
			}
			for range 2 {
				if err := e.same(send, 0, 1); !errors.Is(err, stop) {
					t.Errorf("error %v, want %v", err, stop)
				}
			}
			return nil
		})
		if !errors.Is(err, stop) {
			t.Error(err)
		}
	}
}
