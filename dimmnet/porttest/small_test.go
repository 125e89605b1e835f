package porttest

import "github.com/fagus-dsm/fagus/dimmnet"

// small has other limits than the port below, and enforces them.
type small struct{ filter }

func newSmall(p dimmnet.Port, limits dimmnet.Limits) dimmnet.Port {
	return &small{filter{Limited(p, limits), func(c posting) bool { return c.do() }}}
}

func (p *small) Load(off dimmnet.Offset) uint64 {
	limits := p.Limits()
	limits.CheckLoad(off)
	return p.Port.Load(off)
}

func (p *small) Read(b []byte, off dimmnet.Offset) {
	limits := p.Limits()
	limits.CheckRead(off, len(b))
	p.Port.Read(b, off)
}

func (p *small) Fill(off dimmnet.Offset, b []byte) {
	limits := p.Limits()
	limits.CheckFill(off, len(b))
	p.Port.Fill(off, b)
}
