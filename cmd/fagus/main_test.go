package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

func TestMain(m *testing.M) {
	commands := programs()
	commands["fagus"] = main
	// The tests mostly wait for processes that they start. -parallel replaces this number.
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
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
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal(len(scripts), "scripts, ", err)
	}
	testscript.Run(t, testscript.Params{
		Files:     longtest.Share(scripts),
		Condition: func(what string) (bool, error) { return holds(what, peers) },
		Setup: func(e *testscript.Env) error {
			e.Setenv("PEERS", peers)
			for name, value := range tool {
				e.Setenv(name, value)
			}
			if err := os.WriteFile(e.WorkDir+"/page.sh", []byte(page), 0o666); err != nil {
				return err
			}
			address, err := freeAddress()
			if err != nil {
				return err
			}
			e.Setenv("FREE", address)
			return os.WriteFile(e.WorkDir+"/west0479.mtx", west, 0o666)
		},
	})
}

// freeAddress returns a loopback address whose port is free.
func freeAddress() (address string, err error) {
	err = reach.Ports{}.ListenApart(func(port uint16) error {
		address = fmt.Sprint("127.0.0.1:", port)
		l, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		return l.Close()
	})
	return address, err
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
	case "ofi":
		return ofi.Supported() == nil, nil
	case "processors:2":
		return runtime.NumCPU() >= 2, nil
	case "mpi":
		return installed(peers, "peer.openmpi", "mpirun.openmpi"), nil
	case "openshmem":
		return installed(peers, "peer.openshmem", "oshrun"), nil
	}
	return false, fmt.Errorf("script condition %q is unknown", what)
}

// installed reports whether a program of a folder is built, and its launcher is installed.
func installed(folder, program, launcher string) bool {
	_, built := os.Stat(filepath.Join(folder, program))
	_, found := exec.LookPath(launcher)
	return built == nil && found == nil
}
