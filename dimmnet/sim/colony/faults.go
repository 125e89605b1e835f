package colony

import (
	"math"
	"math/rand/v2"
)

// Mix holds the shares of the kinds of damage. Their sum need not be 1.
type Mix struct {
	Bits   float64 `json:"bits"`   // one to three of the 96 bits are flipped
	Lost   float64 `json:"lost"`   // a part is lost
	Header float64 `json:"header"` // the header names another node; the parity is right
}

// LinkMix returns the mix of a link variant. The thesis finds 18.6 % of packets damaged with
// Split and 4.7 % with Twice. A second copy only repairs lost parts, so three quarters of the
// damage are lost parts. The shares of the other kinds are assumed.
func LinkMix(l Link) Mix {
	if l == Twice {
		return Mix{Bits: 0.68, Lost: 0.15, Header: 0.17}
	}
	return Mix{Bits: 0.20, Lost: 0.75, Header: 0.05}
}

// faults draws damage from the seed.
type faults struct {
	source *rand.PCG
	random *rand.Rand
	limit  uint64 // a packet is damaged if its draw is below limit
	mix    Mix    // normalized: its sum is 1
	link   Link
}

func newFaults(cfg Config) faults {
	source := rand.NewPCG(cfg.Seed, 0)
	f := faults{source: source, random: rand.New(source), mix: *cfg.Mix, link: cfg.Link}
	f.limit = uint64(cfg.Damage * math.MaxUint64)
	total := f.mix.Bits + f.mix.Lost + f.mix.Header
	f.mix.Bits, f.mix.Lost, f.mix.Header = f.mix.Bits/total, f.mix.Lost/total, f.mix.Header/total
	return f
}

// damage damages a packet and returns the set of its copies that are lost.
func (f *faults) damage(p *parcel, count *Counts) (lost uint8) {
	count.Damaged++
	switch draw := f.random.Float64(); {
	case draw < f.mix.Lost:
		return f.link.lose(f.random.IntN(parts))
	case draw < f.mix.Lost+f.mix.Header:
		strange := 1 + uint32(f.random.IntN(MaxNodes-1))
		p.bits[0] ^= strange << toShift
		p.bits[2] ^= strange << toShift
		return 0
	}
	flips := 1
	switch draw := f.random.IntN(10); {
	case draw == 0:
		flips = 3
	case draw < 3:
		flips = 2
	}
	first := f.random.IntN(PacketBits)
	p.bits = p.bits.Flip(first)
	for range flips - 1 { // near the first flip or anywhere
		p.bits = p.bits.Flip((first + 1 + f.random.IntN(PacketBits-1)) % PacketBits)
	}
	return 0
}
