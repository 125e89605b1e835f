// Package usage has the error type for mistakes in a command line. A command that ends with such an
// error exits with the code of wrong usage, whichever package finds the mistake.
//
//	return usage.Errorf("--nodes %d: want 1 to %d", n, most)
//	return usage.Wrap(cfg.Validate())
package usage
