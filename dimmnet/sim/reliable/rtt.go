package reliable

import "github.com/fagus-dsm/fagus/dimmnet"

// estimator measures round trips and computes the timeout from them (RFC 6298).
type estimator struct {
	measured bool
	smooth   dimmnet.Time // SRTT
	varies   dimmnet.Time // RTTVAR
	doubled  uint         // timeouts since the last measurement
}

// measure records the round trip of a datagram that was sent once (Karn's rule).
func (e *estimator) measure(r dimmnet.Time) {
	e.doubled = 0
	if !e.measured {
		e.measured, e.smooth, e.varies = true, r, r/2
		return
	}
	e.varies = (3*e.varies + max(e.smooth-r, r-e.smooth)) / 4
	e.smooth = (7*e.smooth + r) / 8
}

func (e *estimator) timeout(cfg *Config) dimmnet.Time {
	t := cfg.FirstTimeout
	if e.measured {
		t = e.smooth + 4*e.varies
	}
	t = min(max(t, cfg.MinTimeout), cfg.MaxTimeout)
	for i := uint(0); i < e.doubled && t < cfg.MaxTimeout; i++ {
		t = min(2*t, cfg.MaxTimeout)
	}
	return t
}
