package matmul

import "github.com/fagus-dsm/fagus/fagus"

// Plain multiplies without Fagus. cfg must be valid; timed is a verify.Timer.
func Plain(cfg Config, timed func(section func()) fagus.Time) (Result, error) {
	if cfg.Float32 {
		return plain[float32](&cfg, timed)
	}
	return plain[float64](&cfg, timed)
}

func plain[T Float](cfg *Config, timed func(section func()) fagus.Time) (Result, error) {
	a, b, c := make([]T, cfg.M*cfg.K), make([]T, cfg.K*cfg.N), make([]T, cfg.M*cfg.N)
	input(a, cfg.A, cfg.Seed, 0)
	input(b, cfg.B, cfg.Seed, 1)
	rows := make([]int, cfg.M)
	for i := range rows {
		rows[i] = i
	}
	took := timed(func() {
		_ = times(c, a, b, cfg.K, cfg.N, rows, 1, func(int) error { return nil })
		if cfg.Progress != nil {
			cfg.Progress(cfg.M)
		}
	})
	return result(cfg, c, a, b, took)
}
