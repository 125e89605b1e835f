package presets

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEnvs compares Envs with the embedded file.
func TestEnvs(t *testing.T) {
	all, err := parsePresets(presetsTOML)
	if err != nil {
		t.Fatal(err)
	}
	if want := slices.Sorted(maps.Keys(all)); !slices.Equal(Envs(), want) {
		t.Errorf("Envs returns %q, but the file has %q", Envs(), want)
	}
}

// TestNumbersHaveSources checks that every number in presets.toml has a source beside it.
func TestNumbersHaveSources(t *testing.T) {
	text, err := os.ReadFile("presets.toml")
	if err != nil {
		t.Fatal(err)
	}
	sourced := regexp.MustCompile(`^[A-Za-z0-9_]+ = .*# .*\[(DIMMnet-1|Fagus|DIMM_Send and DIMM_Recv)\]`)
	numbers := 0
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' || line[0] == '[' {
			continue
		}
		numbers++
		if !sourced.MatchString(line) {
			t.Errorf("presets.toml:%d: no source beside %q", i+1, line)
		}
	}
	if numbers < 40 {
		t.Errorf("presets.toml has only %d numbers, want 40 or more", numbers)
	}
}
