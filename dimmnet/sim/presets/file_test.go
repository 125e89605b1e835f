package presets

import (
	"maps"
	"slices"
	"testing"
)

// TestEnvs compares Envs with the embedded file.
func TestEnvs(t *testing.T) {
	f, err := parsePresets(presetsTOML)
	if err != nil {
		t.Fatal(err)
	}
	if want := slices.Sorted(maps.Keys(f.Env)); !slices.Equal(Envs(), want) {
		t.Errorf("Envs returns %q, but the file has %q", Envs(), want)
	}
}
