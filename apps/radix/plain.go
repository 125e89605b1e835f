package radix

import "github.com/fagus-dsm/fagus/apps/internal/verify"

// Plain sorts without Fagus. cfg must be valid.
func Plain(cfg Config, timed verify.Timer) (r Result) {
	keys, sorted := make([]uint32, cfg.Keys), make([]uint32, cfg.Keys)
	cfg.fill(keys, 0)
	r.Time = timed(func() {
		for shift := 0; shift < 32; shift += digitBits {
			sortDigit(sorted, keys, nil, shift)
			keys, sorted = sorted, keys
			cfg.Advance(1)
		}
	})
	cfg.Plant(func() { spoil(keys) })
	r.Wrong = cfg.judge([]summary{summaryOf(keys)})
	return r
}
