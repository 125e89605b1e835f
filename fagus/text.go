package fagus

import "fmt"

// MarshalText returns the name of m.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText sets m to the mode with the name text.
func (m *Mode) UnmarshalText(text []byte) error {
	for _, named := range []Mode{Phase, Threaded} {
		if named.String() == string(text) {
			*m = named
			return nil
		}
	}
	return fmt.Errorf("fagus: mode %q: want %v or %v", text, Phase, Threaded)
}

// MarshalText returns the name of p.
func (p Placement) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText sets p to the placement with the name text.
func (p *Placement) UnmarshalText(text []byte) error {
	for _, named := range []Placement{PlaceAuto, PlacePrivate, PlaceShared} {
		if named.String() == string(text) {
			*p = named
			return nil
		}
	}
	return fmt.Errorf("fagus: placement %q: want %v, %v or %v", text, PlaceAuto, PlacePrivate, PlaceShared)
}
