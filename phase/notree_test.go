package phase_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// TestWithoutTree builds a program with the tag notree and without the files of package tree. Its
// ranks send their lists to all, however many ranks there are, and return an error if they are
// asked for a tree.
func TestWithoutTree(t *testing.T) {
	longtest.Third(t)
	if testing.Short() {
		t.Skip("builds everything once more")
	}
	t.Parallel()
	folder, err := filepath.Abs("agreement/tree")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	deleted := make(map[string]string)
	for _, f := range files {
		deleted[f] = ""
	}
	text, err := json.Marshal(map[string]any{"Replace": deleted})
	if err != nil {
		t.Fatal(err)
	}
	overlay, life := filepath.Join(t.TempDir(), "overlay.json"), filepath.Join(t.TempDir(), "life.exe")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "build", "-tags", "notree", "-overlay", overlay, "-o", life, "../apps/examples/life").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, args := range []string{"--nodes 4 --net inproc", "--nodes 4 --net dimmnet1", "--nodes 14 --net dimmnet1"} {
		out, err := exec.CommandContext(t.Context(), life, strings.Fields("--generations 20 "+args)...).CombinedOutput()
		if err != nil || strings.Contains(string(out), "repeated") {
			t.Errorf("%s: %v: %s", args, err, out)
		}
	}
	out, err = exec.CommandContext(t.Context(), life, "--nodes", "4", "--lists", "tree").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "lists by tree: this program was built with the tag notree") {
		t.Errorf("asked for a tree: %v: %s", err, out)
	}
}
