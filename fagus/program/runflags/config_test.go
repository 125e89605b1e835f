package runflags

import (
	"runtime"
	"testing"
)

// TestCrowded: far more ranks than processors are a warning, except in virtual time and where the
// launcher of processes warns.
func TestCrowded(t *testing.T) {
	for name, warns := range map[string]bool{Inproc: true, SHM: false, TCP: false, DIMMnet1: false, UDP100: false} {
		n, err := Networks().Find(name)
		if err != nil {
			t.Fatal(err)
		}
		most := 8 * runtime.NumCPU()
		few, many := Config{Network: n, Nodes: most}, Config{Network: n, Nodes: most + 1}
		if few.Crowded() != "" || many.Crowded() != "" != warns {
			t.Errorf("%s: %d nodes: %q; one more: %q", name, most, few.Crowded(), many.Crowded())
		}
	}
}
