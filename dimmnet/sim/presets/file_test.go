package presets

import (
	"fmt"
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

// TestMachinesAreUsed checks that an environment names every part in the file: the keys of a part
// are checked when a preset is made of it.
func TestMachinesAreUsed(t *testing.T) {
	parts := regexp.MustCompile(`(?m)^\[(board|host|switch)\.(.*?)\]`).FindAllStringSubmatch(presetsTOML, -1)
	for _, part := range parts {
		if !strings.Contains(presetsTOML, fmt.Sprintf("%s = %q", part[1], part[2])) {
			t.Errorf("no environment has %s = %q", part[1], part[2])
		}
	}
	if len(parts) < 10 {
		t.Errorf("the file has %d parts, want 10 or more", len(parts))
	}
}

// TestUnknownKeys checks that a key without a place is an error that names it.
func TestUnknownKeys(t *testing.T) {
	for key, before := range map[string]string{
		"nic.speed": "\nllcm_bytes = 131072", "udp.speed": "\nllcm_bytes = 1048576", "host.design.speed": "\nwrite_ns = 7.5", "speed": "\n[nic]",
	} {
		_, err := parsePresets(strings.Replace(presetsTOML, before, "\nspeed = 1"+before, 1))
		if want := "sim: presets: unknown key " + key; err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
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
