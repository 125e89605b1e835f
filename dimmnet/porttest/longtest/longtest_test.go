package longtest

import "testing"

func TestNeed(t *testing.T) {
	for value, want := range map[string]bool{"": false, "1": !testing.Short(), "2": !testing.Short()} {
		t.Setenv(variable, value)
		ran := false
		t.Run("needs", func(t *testing.T) {
			Need(t)
			ran = true
		})
		cases := map[bool]int{true: 7, false: 3}[want && value == "2"]
		if got := Cases(7, 3); Enabled() != want || ran != want || got != cases {
			t.Errorf("%s=%q: enabled %t, ran %t, %d cases: want %t, %t, %d", variable, value, Enabled(), ran, got, want, want, cases)
		}
	}
}
