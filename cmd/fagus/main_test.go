package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

func TestMain(m *testing.M) {
	commands := programs()
	commands["fagus"] = main
	testscript.Main(m, commands)
}

// TestCommand runs the scripts in testdata. Each is a session at the shell.
func TestCommand(t *testing.T) {
	west, err := os.ReadFile("../../apps/internal/matrix/testdata/west0479.mtx")
	if err != nil {
		t.Fatal(err)
	}
	peers, err := filepath.Abs("../../bench/build")
	if err != nil {
		t.Fatal(err)
	}
	page, err := commandsOf(programPage)
	if err != nil {
		t.Fatal(err)
	}
	tool, err := goTool()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:       "testdata",
		Condition: func(what string) (bool, error) { return holds(what, peers) },
		Setup: func(e *testscript.Env) error {
			e.Setenv("PEERS", peers)
			for name, value := range tool {
				e.Setenv(name, value)
			}
			if err := os.WriteFile(e.WorkDir+"/page.sh", []byte(page), 0o666); err != nil {
				return err
			}
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return err
			}
			e.Setenv("FREE", l.Addr().String()) // not soon assigned again
			if err := l.Close(); err != nil {
				return err
			}
			return os.WriteFile(e.WorkDir+"/west0479.mtx", west, 0o666)
		},
	})
}

// goTool returns the environment in which the Go tool finds modules and its cache, even though
// a script has another home folder.
func goTool() (map[string]string, error) {
	out, err := exec.Command("go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GOFLAGS").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	tool := make(map[string]string)
	return tool, json.Unmarshal(out, &tool)
}

// holds reports whether a condition of the scripts in testdata holds.
func holds(what, peers string) (bool, error) {
	switch what {
	case "long":
		return longtest.Enabled(), nil
	case "processors:2":
		return runtime.NumCPU() >= 2, nil
	case "mpi":
		_, built := os.Stat(filepath.Join(peers, "peer.openmpi"))
		_, found := exec.LookPath("mpirun.openmpi")
		return built == nil && found == nil, nil
	}
	return false, fmt.Errorf("script condition %q is unknown", what)
}
