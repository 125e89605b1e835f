package reproduce

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// pinger is a rank's side of a measurement.
type pinger struct {
	h      dimmnet.Host
	preset presets.Preset
	random *rand.Rand
}

// rounds returns the mean time of a round in nanoseconds.
func (p *pinger) rounds(n int, round func(uint32) error) (float64, error) {
	var sum dimmnet.Time
	for i := range n {
		start := p.h.Now()
		if err := round(uint32(i + 1)); err != nil {
			return 0, err
		}
		sum += p.h.Now() - start
	}
	return nanoseconds(sum) / float64(n), nil
}

// dither waits for a random part of a poll while a packet is in transit, so no round gets longer.
func (p *pinger) dither(poll dimmnet.Time) {
	p.h.Spend(dimmnet.Time(p.random.Int64N(int64(max(poll, 1)))))
}

func (p *pinger) ask(dst dimmnet.Rank, round uint32) error {
	if err := p.store(dst, 0, round); err != nil {
		return err
	}
	p.dither(p.preset.Host.ReadHalf)
	return p.await(0, round)
}

func (p *pinger) answer(dst dimmnet.Rank, round uint32) error {
	p.dither(p.preset.Host.ReadHalf)
	if err := p.await(0, round); err != nil {
		return err
	}
	return p.store(dst, 0, round)
}

func (p *pinger) store(dst dimmnet.Rank, off dimmnet.Offset, v uint32) error {
	if !p.h.Port().Store(dst, off, uint64(v), 4) {
		return fmt.Errorf("reproduce: the port of rank %d refused a store: %w", p.h.Port().Rank(), p.h.Port().Err())
	}
	return nil
}

// await polls 4 bytes of the LLCM until they are v, then spends the test program's time.
func (p *pinger) await(off dimmnet.Offset, v uint32) error {
	err := dimmnet.Until(p.h.Port(), func() bool {
		var b [4]byte
		p.h.Port().Read(b[:], off)
		return binary.LittleEndian.Uint32(b[:]) == v
	})
	p.h.Spend(p.preset.Host.Program)
	return err
}
