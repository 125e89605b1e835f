package runflags

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// environment sets the variables that tell a process its place, and what replaces flags.
func environment(t *testing.T, variables ...string) {
	t.Helper()
	for _, name := range []string{"FAGUS_RANK", "FAGUS_SIZE", "FAGUS_JOB", "FAGUS_RENDEZVOUS", "JOB_COMPLETION_INDEX", netVariable, nodesVariable, modeVariable, cluster.LineVariable} {
		t.Setenv(name, "")
	}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
}

// TestVariables: a variable replaces a flag that is not set, and an error names which of them is
// wrong.
func TestVariables(t *testing.T) {
	environment(t, "FAGUS_NET=udp100", "FAGUS_NODES=5", "FAGUS_MODE=threaded")
	cfg, err := parse(t)
	if err != nil || cfg.Network.Name != UDP100 || cfg.Nodes != 5 || cfg.Mode != fagus.Threaded {
		t.Errorf("variables: %v, %v", cfg.String(), err)
	}
	cfg, err = parse(t, "--net", "inproc", "--nodes", "3", "--mode", "phase")
	if err != nil || cfg.Network.Name != Inproc || cfg.Nodes != 3 || cfg.Mode != fagus.Phase {
		t.Errorf("flags: %v, %v", cfg.String(), err)
	}
	for variable, want := range map[string]string{
		"FAGUS_NET=pigeon":    `FAGUS_NET "pigeon": want dimmnet1, `,
		"FAGUS_NODES=0":       "FAGUS_NODES=0: want 1 to ",
		"FAGUS_NODES=many":    `FAGUS_NODES "many": want a whole number, 1 to `,
		"FAGUS_MODE=lightnin": `FAGUS_MODE "lightnin": want phase or threaded`,
	} {
		environment(t, variable)
		for name, read := range map[string]func(*testing.T, ...string) (Config, error){"run": parse, "own": parseOwn} {
			if _, err := read(t); !usage.Is(err) || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s, %s: error %v, want %q", name, variable, err, want)
			}
		}
	}
}

// TestInherits: a rank takes the network from its launcher, which has read the same command line,
// and a program that the rank starts, from its own.
func TestInherits(t *testing.T) {
	for of, want := range map[string]string{digest(os.Args[1:]): TCP, digest([]string{"another"}): SHM, "": SHM} {
		environment(t, "FAGUS_NET=tcp", cluster.InheritVariable+"="+of)
		for name, read := range map[string]func(*testing.T, ...string) (Config, error){"run": parse, "own": parseOwn} {
			cfg, err := read(t, "--net", "shm", "--stall", "7s")
			if err != nil || cfg.Network.Name != want || cfg.Spec.Net.String() != want || (cfg.Spec.Stall == 0) != (want == TCP) {
				t.Errorf("%s, inherits %q: %v, %v, want %s", name, of, cfg.Spec, err, want)
			}
		}
	}
}

// parseOwn returns the Config of a command line that has the flags of OwnFlags.
func parseOwn(t *testing.T, args ...string) (Config, error) {
	t.Helper()
	return parseWith(t, OwnFlags(), OwnFromFlags, args...)
}

// TestOwnNetwork: the network and the number of nodes suit where a program of one's own runs.
func TestOwnNetwork(t *testing.T) {
	rank1 := []string{"FAGUS_RANK=1", "FAGUS_SIZE=3", "FAGUS_JOB=j"}
	for _, c := range []struct {
		env   []string
		args  string
		net   string
		nodes int
		idle  bool
	}{
		{nil, "", Inproc, max(2, runtime.NumCPU()), false},
		{nil, "--net dimmnet1", DIMMnet1, 2, false},
		{nil, "--hosts a,b --nodes 4", TCP, 4, false},
		{nil, "--net shm --nodes 3", SHM, 3, false},
		{rank1, "", SHM, 3, false},
		{append(rank1, "FAGUS_NODES=7"), "", SHM, 3, false},
		{append(rank1, "FAGUS_RENDEZVOUS=h:1"), "", TCP, 3, false},
		{append(rank1, "FAGUS_NET=quic"), "", QUIC, 3, false},
		{rank1, "--net dimmnet1", DIMMnet1, 3, true},
		// Of Kubernetes:
		{[]string{"JOB_COMPLETION_INDEX=2", "FAGUS_SIZE=3", "FAGUS_RENDEZVOUS=h:1"}, "", TCP, 3, false},
		{append(rank1, "FAGUS_RANK=0"), "--net dimmnet1", DIMMnet1, 3, false},
	} {
		environment(t, c.env...)
		cfg, err := parseOwn(t, strings.Fields(c.args)...)
		if err != nil || cfg.Network.Name != c.net || cfg.Nodes != c.nodes {
			t.Errorf("%v %s: %v, %v", c.env, c.args, cfg.String(), err)
			continue
		}
		if idle, err := cfg.standBy(); idle != c.idle || err != nil {
			t.Errorf("%v %s: stands by: %v, %v", c.env, c.args, idle, err)
		}
	}
}

// TestOwnContradictions: what contradicts the launcher is a usage error.
func TestOwnContradictions(t *testing.T) {
	rank1 := []string{"FAGUS_RANK=1", "FAGUS_SIZE=3", "FAGUS_JOB=j"}
	for _, c := range []struct {
		env        []string
		args, want string
	}{
		{rank1, "--net inproc", "--net inproc runs all ranks in one process, but this one is rank 1 of 3, according to FAGUS_RANK: use shm, tcp"},
		{append(rank1, "FAGUS_NET=inproc"), "", "FAGUS_NET=inproc runs all ranks in one process"},
		{rank1, "--nodes 2", "--nodes 2: this process is one of 3 ranks"},
		{rank1, "--net dimmnet1 --nodes 2", "--nodes 2: this process is one of 3 ranks"},
		{append(rank1, "FAGUS_LINE=fd:9", "FAGUS_NET=dimmnet1"), "--net udp100", "--net udp100: fagus launch has started this process for --net dimmnet1"},
		{append(rank1, "FAGUS_LINE=fd:9", "FAGUS_NET=dimmnet1"), "--net shm", "--net shm: fagus launch has started this process for --net dimmnet1"},
	} {
		environment(t, c.env...)
		if _, err := parseOwn(t, strings.Fields(c.args)...); !usage.Is(err) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v %s: error %v, want %q", c.env, c.args, err, c.want)
		}
	}
	environment(t, append(rank1, "FAGUS_LINE=3", "FAGUS_NET=dimmnet1")...)
	cfg, err := parseOwn(t)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cfg.standBy(); err == nil || !strings.Contains(err.Error(), `FAGUS_LINE is "3"`) {
		t.Errorf("FAGUS_LINE=3: %v", err)
	}
}
