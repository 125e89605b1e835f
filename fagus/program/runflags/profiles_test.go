package runflags

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/cluster"
)

// TestTake: rank 0 writes the files of a rank on another host under the name that this rank gave
// them, and leaves those that are there.
func TestTake(t *testing.T) {
	dir := t.TempDir()
	cfg := &Config{Network: Network{Processes: true}, Nodes: 3, place: &cluster.Place{Size: 3, Attempt: 2}}
	cfg.profiles.dirs = map[string]string{cpuProfileFlag: dir}
	p := &profiling{cfg: cfg, files: map[string]string{cpuProfileFlag: filepath.Join(dir, cfg.profileName()+".cpu.pprof")}}
	for _, content := range []string{"first", "second"} {
		text, err := json.Marshal(map[string][]byte{cpuProfileFlag: []byte(content), memProfileFlag: []byte("not asked for")})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.take(1, text); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, "rank1.attempt2.cpu.pprof"))
	if err != nil || string(got) != "first" {
		t.Errorf("the file has %q, %v", got, err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("the folder has %v, %v", all, err)
	}
	if err := p.take(2, []byte("{")); err == nil || !strings.Contains(err.Error(), "the profiles of rank 2") {
		t.Errorf("of a torn text: %v", err)
	}
	if cfg.place.Rank != 0 {
		t.Error("the place of rank 0 has changed")
	}
}

// TestProfileName: a file says which ranks it is about.
func TestProfileName(t *testing.T) {
	for want, cfg := range map[string]*Config{
		"rank0":          {Nodes: 1},
		"ranks0-3":       {Nodes: 4},
		"rank2":          {Nodes: 4, Network: Network{Processes: true}, place: &cluster.Place{Rank: 2, Size: 4}},
		"rank2.attempt1": {Nodes: 4, Network: Network{Processes: true}, place: &cluster.Place{Rank: 2, Size: 4, Attempt: 1}},
	} {
		if got := cfg.profileName(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
