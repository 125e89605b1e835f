package bench

import (
	"fmt"
	"github.com/fagus-dsm/fagus/apps/catalog/usage"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/bench"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/peers"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// library is an MPI library with settings. Debian's names of its programs end in suffix.
type library struct {
	name, suffix string
	env          []string
}

// noRepMovsb keeps glibc from copying by the instruction rep movsb, which is slow on some
// processors when source and destination have the same offset in a page.
const noRepMovsb = "GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=1073741824"

// libraries returns the peers on a network: each library with its default settings, and with the
// best known settings (docs/peers.md).
func libraries(net string) []library {
	if net == runflags.TCP {
		return []library{
			{"Open MPI", "openmpi", []string{"OMPI_MCA_pml=ob1", "OMPI_MCA_btl=tcp,self", "OMPI_MCA_osc=pt2pt", "OMPI_MCA_btl_tcp_if_include=lo"}},
			{"MPICH", "mpich", []string{"UCX_TLS=tcp,self", "UCX_NET_DEVICES=lo", "MPIR_CVAR_NOLOCAL=1"}},
		}
	}
	return []library{
		{"Open MPI", "openmpi", nil},
		{"Open MPI, best", "openmpi", []string{"OMPI_MCA_coll_sm_priority=100", "OMPI_MCA_btl_vader_single_copy_mechanism=none", noRepMovsb}},
		{"MPICH", "mpich", nil},
		{"MPICH, best", "mpich", []string{noRepMovsb}},
	}
}

// competitors returns Fagus and the installed peers; missing names the peers not installed.
func competitors(net, self, folder string, cpus []int) (systems []peers.System, missing []string, err error) {
	list := fmt.Sprintf("%d,%d", cpus[0], cpus[1])
	own := func(name string, placement fagus.Placement) peers.System {
		return peers.System{Name: name, Own: true, Processes: peers.Ranks, Argv: []string{
			self, "bench", "--net", net, "--placement", placement.String(), "--cpus", list, "--serve"}}
	}
	if net == runflags.TCP {
		systems = append(systems, own("Fagus", fagus.PlacePrivate))
	} else {
		systems = append(systems, own("Fagus, shared", fagus.PlaceShared), own("Fagus, private", fagus.PlacePrivate))
	}
	owns := len(systems)
	var why error
	for _, l := range libraries(net) {
		argv, err := l.argv(folder, list)
		if err != nil {
			why, missing = err, append(missing, l.name)
			continue
		}
		systems = append(systems, peers.System{Name: l.name, Env: append(asRoot(), l.env...), Argv: argv})
	}
	if len(systems) == owns {
		return nil, nil, fmt.Errorf("bench: no peers: %w; make -C bench peers builds them in bench/build, with Debian's openmpi-bin libopenmpi-dev mpich libmpich-dev", why)
	}
	return systems, missing, nil
}

// argv returns the command line that starts the peer program of a folder on two processors.
func (l library) argv(folder, cpus string) ([]string, error) {
	program, err := filepath.Abs(filepath.Join(folder, "peer."+l.suffix))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(program); err != nil {
		return nil, err
	}
	launcher, err := exec.LookPath("mpirun." + l.suffix)
	if err != nil {
		return nil, err
	}
	return []string{launcher, "-n", fmt.Sprint(peers.Ranks), program, cpus}, nil
}

// asRoot returns the environment variables that let Open MPI run as root, as in a container.
func asRoot() []string {
	if os.Geteuid() != 0 {
		return nil
	}
	return []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}
}

const (
	smallBytes = 8
	pageBytes  = 4096
)

type operation struct {
	name  string
	sizes []int
	own   bench.Op
	peer  []peers.Method
}

func operations(net string, streams []int, order int) []operation {
	same := func(op bench.Op) []peers.Method { return []peers.Method{{Op: string(op)}} }
	pages := []peers.Method{{Op: "window-hand-over", Variant: "window"}}
	if net == runflags.SHM {
		pages = append(pages, peers.Method{Op: "shared-hand-over", Variant: "shared window"})
	}
	return []operation{
		{"barrier", []int{0}, bench.Barrier, same(bench.Barrier)},
		{"sum", []int{0}, bench.Sum, same(bench.Sum)},
		{"round-trip", []int{smallBytes}, bench.HandOver, []peers.Method{{Op: "round-trip"}}},
		{"hand-over", []int{pageBytes}, bench.HandOver, pages},
		{"stream", streams, bench.Stream, []peers.Method{{Op: "stream", Variant: "message"}, {Op: "window-stream", Variant: "window"}}},
		{"stream-read", []int{slices.Max(streams)}, bench.StreamRead, same(bench.StreamRead)},
		{"matmul", []int{order}, bench.Matmul, same(bench.Matmul)},
		{"product", []int{order}, bench.Product, same(bench.Product)},
	}
}

func casesOf(c *cli.Context, net string, systems []peers.System) (cases []peers.Case, err error) {
	streams := []int{4096, 64 << 10, 1 << 20, 32 << 20}
	if c.IsSet("bytes") {
		streams = c.IntSlice("bytes")
	}
	var names []string
	for _, one := range operations(net, streams, c.Int("n")) {
		names = append(names, one.name)
		wanted := slices.Contains(c.StringSlice("ops"), one.name)
		if !c.IsSet("ops") {
			wanted = one.own != bench.Product // a product takes seconds
		}
		if !wanted {
			continue
		}
		for _, size := range one.sizes {
			cfg := bench.Config{Op: one.own, Bytes: size, N: size, Samples: 1, Batch: 1}
			if err := cfg.Validate(); err != nil {
				return nil, usage.Wrap(err)
			}
			cases = append(cases, peers.Case{Op: one.name, Size: size, Methods: methodsOf(one, systems)})
		}
	}
	for _, op := range c.StringSlice("ops") {
		if !slices.Contains(names, op) {
			return nil, usage.Errorf("--ops %s: want some of %s", op, strings.Join(names, ", "))
		}
	}
	return cases, nil
}

func methodsOf(one operation, systems []peers.System) (methods []peers.Method) {
	for i, s := range systems {
		if s.Own {
			methods = append(methods, peers.Method{System: i, Op: string(one.own)})
			continue
		}
		for _, w := range one.peer {
			w.System = i
			methods = append(methods, w)
		}
	}
	return methods
}
