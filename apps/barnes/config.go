package barnes

import "fmt"

// Config describes a run.
type Config struct {
	Bodies int
	Steps  int     // of 1/40
	Theta  float64 // is how wide, by its distance, a cell is that counts as one body; 0: none does
	Seed   uint64  // is where bodies come from
	// Progress, if not nil, is called at rank 0 after each step with 1.
	Progress func(steps int)
	// Spoil makes the last acceleration of one body wrong: for those who want to see that it is found.
	Spoil bool
}

// The least and the most of everything. Fewer bodies are too heavy for the length of a step when two of them meet. A cell as wide as 1/sqrt(3) of its distance may have the body itself inside
// (J. K. Salmon and M. S. Warren, J. Comput. Phys. 111 (1994) 136).
const (
	minBodies = 100
	maxBodies = 1 << 20
	maxSteps  = 1 << 16
	maxTheta  = 0.57
)

// Validate reports what cannot be run.
func (c *Config) Validate() error {
	switch {
	case c.Bodies < minBodies || c.Bodies > maxBodies:
		return fmt.Errorf("barnes: %d bodies: want %d to %d", c.Bodies, minBodies, maxBodies)
	case c.Steps < 1 || c.Steps > maxSteps:
		return fmt.Errorf("barnes: %d steps: want 1 to %d", c.Steps, maxSteps)
	case !(c.Theta >= 0 && c.Theta <= maxTheta): // this way round for NaN
		return fmt.Errorf("barnes: cells as wide as %g of their distance: want 0 to %g", c.Theta, maxTheta)
	}
	return nil
}
