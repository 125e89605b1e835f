package longtest

import (
	"flag"
	"testing"
)

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

func TestThird(t *testing.T) {
	cases := []int{0, 1, 2, 3, 4, 5, 6}
	seen := make(map[int]int)
	ran := 0
	for _, third := range []string{"0", "1", "2"} {
		t.Setenv(thirdVariable, third)
		for _, c := range Share(cases) {
			seen[c]++
		}
		for _, name := range []string{"a", "b", "c", "d"} {
			if tried(name) {
				ran++
			}
		}
	}
	for _, c := range cases {
		if seen[c] != 1 {
			t.Errorf("case %d is in %d thirds", c, seen[c])
		}
	}
	if ran != 4 {
		t.Errorf("of 4 tests %d have run in all thirds", ran)
	}
	run := flag.Lookup("test.run").Value
	defer func(before string) { _ = run.Set(before) }(run.String())
	_ = run.Set("") // as in a plain go test ./...
	t.Setenv(variable, "")
	t.Setenv(thirdVariable, "")
	if got := Share(cases); len(got) != 3 {
		t.Errorf("a plain run tries %d of %d cases", len(got), len(cases))
	}
	for _, all := range []string{"all", "3", "-1", "x", ""} {
		t.Setenv(thirdVariable, all)
		if all == "" {
			_ = run.Set("TestThird")
		}
		if got := Share(cases); len(got) != len(cases) || !tried("a") || !tried("b") || !tried("c") {
			t.Errorf("%s=%q: %d of %d cases", thirdVariable, all, len(got), len(cases))
		}
	}
}
