// Package usage has the error type for mistakes in a command line. If a command ends with such an
// error, its exit code is that of wrong usage, whichever package found the mistake.
//
//	return usage.Errorf("--nodes %d: want 1 to %d", n, most)
//	return usage.Wrap(cfg.Validate())
package usage
