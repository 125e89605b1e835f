package water

import (
	"fmt"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// Binding selects which forces share a sync variable, and which variables are acquired together.
type Binding uint8

const (
	Block    Binding = iota // a variable for the molecules of each rank
	Molecule                // a variable for each molecule; a rank's are acquired together
	Lock                    // a variable for each molecule, acquired one after another
)

// String returns the name that ParseBinding accepts.
func (b Binding) String() string {
	switch b {
	case Block:
		return "block"
	case Molecule:
		return "molecule"
	case Lock:
		return "lock"
	}
	return fmt.Sprintf("binding %d", uint8(b))
}

// ParseBinding returns the binding with the given name.
func ParseBinding(name string) (Binding, error) {
	for b := Block; b <= Lock; b++ {
		if b.String() == name {
			return b, nil
		}
	}
	return 0, fmt.Errorf("water: binding %q: want %v, %v or %v", name, Block, Molecule, Lock)
}

// Config describes a run.
type Config struct {
	Molecules int
	Steps     int // number of time steps of half a femtosecond
	Bind      Binding
	Seed      uint64 // selects orientations and velocities
	// Progress counts steps at rank 0. Spoil adds the smallest possible force to one hydrogen,
	// without a reaction.
	verify.Options
}

// Upper limits of the configuration. With more molecules energies might overflow 64 bits.
const (
	maxMolecules = 1 << 15
	maxSteps     = 1 << 16
)

// Validate reports an error if the program cannot run with c.
func (c *Config) Validate() error {
	switch {
	case c.Molecules < 1 || c.Molecules > maxMolecules:
		return fmt.Errorf("water: %d molecules: want 1 to %d", c.Molecules, maxMolecules)
	case c.Steps < 1 || c.Steps > maxSteps:
		return fmt.Errorf("water: %d steps: want 1 to %d", c.Steps, maxSteps)
	case c.Bind > Lock:
		return fmt.Errorf("water: binding %v: want %v, %v or %v", c.Bind, Block, Molecule, Lock)
	}
	return nil
}

// Pairs returns the number of pairs of molecules.
func (c *Config) Pairs() int { return c.Molecules * (c.Molecules - 1) / 2 }
