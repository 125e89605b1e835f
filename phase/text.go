package phase

import "fmt"

// MarshalText returns the name of t.
func (t Transfer) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText sets t to the Transfer whose name is text.
func (t *Transfer) UnmarshalText(text []byte) error {
	return setNamed(t, "transfer", text, Auto, Rings, Push)
}

// MarshalText returns the name of l.
func (l Lists) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText sets l to the Lists whose name is text.
func (l *Lists) UnmarshalText(text []byte) error {
	return setNamed(l, "lists", text, ListsAuto, ListsAll, ListsTree)
}

// setNamed sets to, which is one of three values, to the one whose name is text.
func setNamed[T fmt.Stringer](to *T, kind string, text []byte, a, b, c T) error {
	for _, named := range [...]T{a, b, c} {
		if named.String() == string(text) {
			*to = named
			return nil
		}
	}
	return fmt.Errorf("phase: %s %q: want %v, %v or %v", kind, text, a, b, c)
}
