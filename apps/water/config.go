package water

import "fmt"

// Binding says which forces have a variable together, and which are acquired at once.
type Binding uint8

// The bindings.
const (
	Block    Binding = iota // those on the molecules of a rank
	Molecule                // those on one molecule; those of a rank are acquired in one set
	Lock                    // the same, but acquired one after another
)

// String is the name as a flag has it.
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

// ParseBinding is the binding with a name.
func ParseBinding(name string) (Binding, error) {
	for b := Block; b <= Lock; b++ {
		if b.String() == name {
			return b, nil
		}
	}
	return 0, fmt.Errorf("water: forces bound by %q: want %v, %v or %v", name, Block, Molecule, Lock)
}

// Config describes a run.
type Config struct {
	Molecules int
	Steps     int // of half a femtosecond
	Bind      Binding
	Seed      uint64 // is where orientations and velocities come from
	// Progress, if not nil, is called at rank 0 after each step with 1.
	Progress func(steps int)
	// Spoil adds the smallest force that there is to one hydrogen, and no reaction: for those who want
	// to see that it is found.
	Spoil bool
}

// The most of everything: with more molecules energies might leave 64 bits.
const (
	maxMolecules = 1 << 15
	maxSteps     = 1 << 16
)

// Validate reports what cannot be run.
func (c *Config) Validate() error {
	switch {
	case c.Molecules < 1 || c.Molecules > maxMolecules:
		return fmt.Errorf("water: %d molecules: want 1 to %d", c.Molecules, maxMolecules)
	case c.Steps < 1 || c.Steps > maxSteps:
		return fmt.Errorf("water: %d steps: want 1 to %d", c.Steps, maxSteps)
	case c.Bind > Lock:
		return fmt.Errorf("water: %v: want %v, %v or %v", c.Bind, Block, Molecule, Lock)
	}
	return nil
}

// Pairs is how many pairs of molecules there are.
func (c *Config) Pairs() int { return c.Molecules * (c.Molecules - 1) / 2 }
