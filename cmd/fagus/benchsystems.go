package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/bench"
	"github.com/fagus-dsm/fagus/cmd/fagus/peers"
	"github.com/fagus-dsm/fagus/fagus"
)

// library is an MPI library as Debian names its programs, with one set of settings.
type library struct {
	name, suffix string
	env          []string
}

// noRepMovsb keeps glibc from copying by an instruction that is slow on some processors when
// both sides lie at the same place of a page.
const noRepMovsb = "GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=1073741824"

// libraries are the peers on a network: as they come, and as they are best. docs/peers.md says
// why so.
func libraries(net string) []library {
	if net == netTCP {
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

// competitors are Fagus and the peers that are there; missing says which are not.
func competitors(net, self, folder string, cpus []int) (systems []peers.System, missing []string, err error) {
	list := fmt.Sprintf("%d,%d", cpus[0], cpus[1])
	own := func(name string, placement fagus.Placement) peers.System {
		return peers.System{Name: name, Own: true, Processes: peers.Ranks, Argv: []string{
			self, "bench", "--net", net, "--placement", placement.String(), "--cpus", list, "--serve"}}
	}
	if net == netTCP {
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

// argv starts its program in a folder on two processors.
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

// asRoot is what Open MPI wants to hear from root, in a container mostly.
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

// rivalry is an operation: its name at Fagus, and those at a peer, each with its variant.
type rivalry struct {
	op    string
	sizes []int
	own   bench.Op
	peer  []peers.Way
}

// rivalries are all that can be measured.
func rivalries(net string, streams []int, order int) []rivalry {
	same := func(op bench.Op) []peers.Way { return []peers.Way{{Op: string(op)}} }
	pages := []peers.Way{{Op: "window-hand-over", Variant: "window"}}
	if net == netShm {
		pages = append(pages, peers.Way{Op: "shared-hand-over", Variant: "shared window"})
	}
	return []rivalry{
		{"barrier", []int{0}, bench.Barrier, same(bench.Barrier)},
		{"sum", []int{0}, bench.Sum, same(bench.Sum)},
		{"round-trip", []int{smallBytes}, bench.HandOver, []peers.Way{{Op: "round-trip"}}},
		{"hand-over", []int{pageBytes}, bench.HandOver, pages},
		{"stream", streams, bench.Stream, []peers.Way{{Op: "stream", Variant: "message"}, {Op: "window-stream", Variant: "window"}}},
		{"stream-read", []int{slices.Max(streams)}, bench.StreamRead, same(bench.StreamRead)},
		{"matmul", []int{order}, bench.Matmul, same(bench.Matmul)},
		{"product", []int{order}, bench.Product, same(bench.Product)},
	}
}

// casesOf are the cases that the flags ask for.
func casesOf(c *cli.Context, net string, systems []peers.System) (cases []peers.Case, err error) {
	streams := []int{4096, 64 << 10, 1 << 20, 32 << 20}
	if c.IsSet("bytes") {
		streams = c.IntSlice("bytes")
	}
	var names []string
	for _, one := range rivalries(net, streams, c.Int("n")) {
		names = append(names, one.op)
		wanted := slices.Contains(c.StringSlice("ops"), one.op) || !c.IsSet("ops") && one.own != bench.Product // that takes seconds
		if !wanted {
			continue
		}
		for _, size := range one.sizes {
			cfg := bench.Config{Op: one.own, Bytes: size, N: size, Samples: 1, Batch: 1}
			if err := cfg.Validate(); err != nil {
				return nil, &usageError{err}
			}
			cases = append(cases, peers.Case{Op: one.op, Size: size, Ways: waysOf(one, systems)})
		}
	}
	for _, op := range c.StringSlice("ops") {
		if !slices.Contains(names, op) {
			return nil, usagef("--ops %s: want some of %s", op, strings.Join(names, ", "))
		}
	}
	return cases, nil
}

// waysOf are the ways in which systems do it.
func waysOf(one rivalry, systems []peers.System) (ways []peers.Way) {
	for i, s := range systems {
		if s.Own {
			ways = append(ways, peers.Way{System: i, Op: string(one.own)})
			continue
		}
		for _, w := range one.peer {
			w.System = i
			ways = append(ways, w)
		}
	}
	return ways
}
