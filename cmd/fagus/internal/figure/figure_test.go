package figure

import (
	"strings"
	"testing"
)

func TestEvenTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 108, "0 20 40 60 80 100"},
		{0, 0.7, "0.0 0.2 0.4 0.6"},
		{0, 26, "0 5 10 15 20 25"},
		{0, 0.012, "0.000 0.002 0.004 0.006 0.008 0.010 0.012"},
		{0, 3e6, "0 500000 1000000 1500000 2000000 2500000 3000000"},
		{0, 0, "0"},
	} {
		var labels []string
		for _, tick := range EvenTicks(c.low, c.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}
