package fagus_test

import (
	"encoding"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
)

// named is a value that has a name as text.
type named interface {
	encoding.TextMarshaler
	encoding.TextUnmarshaler
}

// TestText converts each value to its name and back. Other names must give errors.
func TestText(t *testing.T) {
	for text, value := range map[string]named{
		"phase": new(fagus.Mode), "threaded": new(fagus.Mode),
		"auto": new(fagus.Placement), "private": new(fagus.Placement), "shared": new(fagus.Placement),
		"rings": new(fagus.Transfer), "push": new(fagus.Transfer),
	} {
		if err := value.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("UnmarshalText of %s: %v", text, err)
		}
		if got, err := value.MarshalText(); err != nil || string(got) != text {
			t.Errorf("MarshalText after UnmarshalText of %s gives %s, error %v", text, got, err)
		}
		if err := value.UnmarshalText([]byte("lightning")); err == nil {
			t.Errorf("UnmarshalText of %T accepts an unknown name, want an error", value)
		}
		if got, _ := value.MarshalText(); string(got) != text {
			t.Errorf("a failed UnmarshalText changed %s to %s", text, got)
		}
	}
}
