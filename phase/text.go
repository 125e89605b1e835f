package phase

import "fmt"

// MarshalText returns the name of t.
func (t Transfer) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText sets t to the Transfer whose name is text.
func (t *Transfer) UnmarshalText(text []byte) error {
	for _, named := range []Transfer{Auto, Rings, Push} {
		if named.String() == string(text) {
			*t = named
			return nil
		}
	}
	return fmt.Errorf("phase: transfer %q: want %v, %v or %v", text, Auto, Rings, Push)
}

// MarshalText returns the name of l.
func (l Lists) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText sets l to the Lists whose name is text.
func (l *Lists) UnmarshalText(text []byte) error {
	for _, named := range []Lists{ListsAuto, ListsAll, ListsTree} {
		if named.String() == string(text) {
			*l = named
			return nil
		}
	}
	return fmt.Errorf("phase: lists %q: want %v, %v or %v", text, ListsAuto, ListsAll, ListsTree)
}
