package reproduce

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/sendrecv"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// sendrecvEnv is the machine of the DIMM_Send paper (docs/lab/papers.md, DIMM_Send and DIMM_Recv).
const sendrecvEnv = "sendrecv"

// SendRecv measures, as the DIMM_Send paper does, the round trip of an ordinary store through the
// switch, and of a store with an undefined command, which interrupts the core PU.
func SendRecv(ctx context.Context, cfg Config) (*Table, error) {
	s := newStudy(ctx, cfg, "sendrecv", "stores by a RHiNET2 switch")
	ordinary, interrupt := s.roundTrip(sendrecvEnv), s.interruptRoundTrip()
	s.add(sendrecvEnv, "rtt_ns", ordinary)
	s.add(sendrecvEnv, "one_way_ns", ordinary/2)
	s.add(sendrecvEnv, "interrupt_rtt_ns", interrupt)
	s.add(sendrecvEnv, "interrupt_one_way_ns", interrupt-ordinary/2)
	return s.table()
}

const unknownCommand martini.Command = 0xff

// interruptRoundTrip measures a store that interrupts the core PU, and an ordinary store back.
func (s *study) interruptRoundTrip() float64 {
	return s.run(sim.Config{Env: sendrecvEnv}, 2, func(p *pinger) (float64, error) {
		u, err := sim.OpenUser(p.h, martini.Owner{Group: 2, Process: 1})
		if err != nil {
			return 0, err
		}
		if err := u.Register(curveRegion, 0, curveBytes); err != nil {
			return 0, err
		}
		if p.h.Port().Rank() == 1 {
			return p.rounds(s.cfg.Rounds, func(round uint32) error { return p.answer(0, round) })
		}
		p.h.Spend(dimmnet.Millisecond) // until rank 1 has registered its region
		page, err := u.Map(martini.Seed{To: 1, Physical: true, Command: unknownCommand})
		if err != nil {
			return 0, err
		}
		return p.rounds(s.cfg.Rounds, func(round uint32) error {
			if posted, err := u.Store(page, 0, uint64(round), 4); err != nil || !posted {
				return fmt.Errorf("reproduce: rank 0's port refused a store: %w", err)
			}
			p.dither(p.preset.Host.ReadHalf)
			return p.await(0, round)
		})
	})
}

// Point holds the times of a transfer of Bytes bytes by BOTF and by PUSH.
type Point struct {
	Bytes  int     `json:"bytes"`
	BOTFns float64 `json:"botf_ns"`
	PUSHns float64 `json:"push_ns"`
}

// BOTF returns the bandwidth of a BOTF in MB/s.
func (p Point) BOTF() float64 { return float64(p.Bytes) / p.BOTFns * 1000 }

// PUSH returns the bandwidth of a PUSH in MB/s.
func (p Point) PUSH() float64 { return float64(p.Bytes) / p.PUSHns * 1000 }

// Curve is the bandwidth of BOTF and PUSH by message size, from LLCM to the peer's LLCM, until
// the sender sees the ACK. Windows are write-combining for BOTF and uncached for PUSH
// (docs/lab/papers.md, DIMM_Send and DIMM_Recv, Mechanisms and where each wins).
type Curve struct {
	Env    string  `json:"env"`
	Points []Point `json:"points"`
	// BOTFAhead is the largest size in bytes at which BOTF is faster by more than Level. PUSHAhead
	// is the size from which on PUSH is always faster by more than Level.
	BOTFAhead int `json:"botf_ahead_to_bytes"`
	PUSHAhead int `json:"push_ahead_from_bytes"`
}

// Level is the relative difference up to which a Curve considers the methods equal.
const Level = 0.02

// Bandwidth measures the curve.
func Bandwidth(ctx context.Context, cfg Config) (*Curve, error) {
	s := study{cfg: cfg.withDefaults(), ctx: ctx}
	rounds := min(s.cfg.Rounds, 200) // the paper's means are of 200 runs
	c := &Curve{Env: sendrecvEnv}
	for n := 16; n <= 2048; n += 16 {
		c.Points = append(c.Points, Point{Bytes: n})
		if n == 464 || n == 928 || n == 1392 { // one byte more takes another packet
			c.Points = append(c.Points, Point{Bytes: n + 1})
		}
	}
	s.run(sim.Config{Env: sendrecvEnv}, 2, func(p *pinger) (float64, error) {
		return 0, measureCurve(p, rounds, c.Points)
	})
	c.compare()
	return c, s.err
}

func (c *Curve) compare() {
	for i := len(c.Points) - 1; i >= 0; i-- {
		p := &c.Points[i]
		switch {
		case p.BOTFns < p.PUSHns*(1-Level):
			c.BOTFAhead = p.Bytes
			return
		case p.PUSHns < p.BOTFns*(1-Level) && (i == len(c.Points)-1 || c.PUSHAhead == c.Points[i+1].Bytes):
			c.PUSHAhead = p.Bytes
		}
	}
}

// LevelTo returns the largest measured size in bytes at which PUSH is not yet faster by more than
// Level.
func (c *Curve) LevelTo() (bytes int) {
	for _, p := range c.Points {
		if c.PUSHAhead == 0 || p.Bytes < c.PUSHAhead {
			bytes = p.Bytes
		}
	}
	return bytes
}

// AddCurve adds to the table of SendRecv the size up to which BOTF and PUSH are level, which is
// about 800 bytes in the paper (docs/lab/papers.md, DIMM_Send and DIMM_Recv, Mechanisms and where
// each wins).
func (t *Table) AddCurve(c *Curve) { t.add(c.Env, "level_up_to_bytes", float64(c.LevelTo())) }

// Layout of the transfers in an LLCM.
const (
	curveRegion = 1
	curveBytes  = 4096
	curveAck    = 2 * curveBytes
)

// measureCurve fills in the points at rank 0. Rank 1 only registers its region.
func measureCurve(p *pinger, rounds int, points []Point) error {
	u, err := sim.OpenUser(p.h, martini.Owner{Group: 2, Process: 1})
	if err != nil {
		return err
	}
	if err := u.Register(curveRegion, 0, curveAck+dimmnet.WordBytes); err != nil || p.h.Port().Rank() == 1 {
		return err
	}
	s := &sender{pinger: p, user: u, header: martini.Header{To: 1, Region: curveRegion}}
	for i := range s.windows {
		if s.windows[i], err = u.Window(sim.WriteCombining); err != nil {
			return err
		}
	}
	p.h.Spend(dimmnet.Millisecond) // until rank 1 has registered its region
	for i := range points {
		pt := &points[i]
		if pt.BOTFns, err = s.mean(rounds, func() error { return s.blocks(pt.Bytes) }); err != nil {
			return err
		}
		if pt.PUSHns, err = s.mean(rounds, func() error { return s.push(pt.Bytes) }); err != nil {
			return err
		}
	}
	return nil
}

type sender struct {
	*pinger
	user    *sim.User
	header  martini.Header
	windows [2]int
}

// blocks sends n bytes through two alternating windows. The last block requests an ACK.
func (s *sender) blocks(n int) error {
	block := s.h.Port().Limits().Block
	payload := make([]byte, block)
	h := s.header
	for i := 0; n > 0; i++ {
		size := min(n, block)
		ack := sim.NoAck
		if n -= size; n == 0 {
			ack = curveAck
		}
		for posted := false; !posted; {
			var err error
			if posted, err = s.user.Block(s.windows[i%2], h, payload[:size], ack); err != nil {
				return err
			}
		}
		h.Addr += uint32(size)
	}
	return nil
}

func (s *sender) push(n int) error {
	posted, err := s.user.Push(s.header, 0, n, curveAck)
	if err != nil || !posted {
		return fmt.Errorf("reproduce: rank 0's port refused a PUSH: %w", err)
	}
	return nil
}

// mean returns a transfer's mean time until its ACK, in ns. It does not clear the status word.
func (s *sender) mean(rounds int, transfer func() error) (float64, error) {
	port := s.h.Port()
	var sum dimmnet.Time
	for range rounds {
		start := s.h.Now()
		if err := transfer(); err != nil {
			return 0, err
		}
		s.dither(s.preset.Host.Read)
		got, err := s.status(func(word uint64) bool { return word != 0 })
		if err != nil {
			return 0, err
		}
		sum += s.h.Now() - start
		if int64(got) < 0 {
			return 0, fmt.Errorf("reproduce: the receiver's NIC refused a transfer: %v", martini.Refusal(got))
		}
		if !port.Store(port.Rank(), curveAck, 0, dimmnet.WordBytes) {
			return 0, fmt.Errorf("reproduce: rank 0's port refused a store: %w", port.Err())
		}
		if _, err := s.status(func(word uint64) bool { return word == 0 }); err != nil {
			return 0, err
		}
	}
	return nanoseconds(sum) / float64(rounds), nil
}

// status polls the status word until it is as wanted, and returns it.
func (s *sender) status(wanted func(uint64) bool) (word uint64, err error) {
	err = dimmnet.Until(s.h.Port(), func() bool {
		word = s.h.Port().Load(curveAck)
		return wanted(word)
	})
	return word, err
}

// Message is the time of one DIMM_Send of Bytes bytes to a DIMM_Recv.
type Message struct {
	Bytes int     `json:"bytes"`
	Ns    float64 `json:"one_way_ns"` // half of a round trip
}

// Rate returns the bandwidth in MB/s.
func (m Message) Rate() float64 { return float64(m.Bytes) / m.Ns * 1000 }

// Messages measures round trips of DIMM_Send and DIMM_Recv; the paper has only a graph of them.
func Messages(ctx context.Context, cfg Config) ([]Message, error) {
	s := study{cfg: cfg.withDefaults(), ctx: ctx}
	var list []Message
	for _, n := range []int{4, 64, 464, 465, 1024, 4096, 16 << 10, 64 << 10, 256 << 10, 1 << 20} {
		rounds := max(1, min(s.cfg.Rounds, (4<<20)/n, 200))
		ns := s.run(sim.Config{Env: sendrecvEnv}, 2, func(p *pinger) (float64, error) {
			e, err := sendrecv.New(p.h.Port(), sendrecv.Config{})
			if err != nil {
				return 0, err
			}
			message := make([]byte, n)
			return p.rounds(rounds, func(uint32) error { return p.exchange(e, message) })
		})
		list = append(list, Message{n, ns / 2})
	}
	return list, s.err
}

func (p *pinger) exchange(e *sendrecv.Endpoint, message []byte) error {
	if p.h.Port().Rank() == 0 {
		if err := e.Send(1, message); err != nil {
			return err
		}
		_, err := e.Recv(1, message)
		return err
	}
	if _, err := e.Recv(0, message); err != nil {
		return err
	}
	return e.Send(0, message)
}
