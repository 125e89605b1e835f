package bench

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/bench"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/peers"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const (
	smallBytes = 8
	pageBytes  = 4096
	meetSteps  = 75_000 // of 4 or 5 cycles: about 100 us
)

// operation is an operation of the sizes given, and how each kind of system performs it.
type operation struct {
	name  string
	sizes []int
	pair  bool // between two ranks; otherwise it is of any number
	asked bool // it is measured only if --ops names it
	own   bench.Op
	ways  map[kind][]peers.Method
	bare  bool // only bare systems have it; it is measured with --net ofi only
}

const pingPong = "ping-pong"

func operations(net string, streams []int, order int) []operation {
	same := func(op bench.Op) []peers.Method { return []peers.Method{{Op: string(op)}} }
	all := func(op bench.Op, sizes ...int) operation {
		return operation{name: string(op), sizes: sizes, own: op, ways: map[kind][]peers.Method{own: same(op), mpi: same(op), shmem: same(op)}}
	}
	pages := []peers.Method{{Op: "window-hand-over", Variant: "window"}}
	if net == runflags.SHM {
		pages = append(pages, peers.Method{Op: "shared-hand-over", Variant: "shared window"})
	}
	shmemPages := []peers.Method{{Op: "lock-hand-over", Variant: "lock"}}
	if net == runflags.SHM {
		shmemPages = append(shmemPages, peers.Method{Op: "pointer-hand-over", Variant: "lock, in place"})
	}
	shmemPages = append(shmemPages, peers.Method{Op: "flag-hand-over", Variant: "flag"})
	barrier := all(bench.Barrier, 0)
	barrier.ways[fabric] = same(bench.Barrier)
	meet := all(bench.Meet, meetSteps)
	meet.asked = true
	product := all(bench.Product, order)
	product.asked = true // it takes seconds
	read := all(bench.StreamRead, slices.Max(streams))
	read.pair = true
	operations := []operation{
		barrier,
		meet,
		all(bench.Sum, 0),
		{name: "round-trip", sizes: []int{smallBytes}, pair: true, own: bench.HandOver, ways: map[kind][]peers.Method{
			own: same(bench.HandOver), mpi: same("round-trip"), shmem: same("round-trip"),
			fabric: {{Op: "round-trip", Variant: "message"}, {Op: "put-round-trip", Variant: "put"}}}},
		{name: "hand-over", sizes: []int{pageBytes}, pair: true, own: bench.HandOver, ways: map[kind][]peers.Method{
			own: same(bench.HandOver), mpi: pages, shmem: shmemPages, fabric: {{Op: "hand-over", Variant: "message"}}}},
		{name: "stream", sizes: streams, pair: true, own: bench.Stream, ways: map[kind][]peers.Method{
			own: same(bench.Stream), mpi: {{Op: "stream", Variant: "message"}, {Op: "window-stream", Variant: "window"}},
			shmem:  {{Op: "stream", Variant: "put"}, {Op: "get-stream", Variant: "get"}},
			fabric: {{Op: "stream", Variant: "message"}, {Op: "put-stream", Variant: "put"}}}},
		read,
		all(bench.Matmul, order),
		product,
	}
	if net == runflags.OFI {
		operations = append(operations, operation{name: pingPong, sizes: []int{smallBytes, pageBytes}, pair: true, own: bench.HandOver, bare: true,
			ways: map[kind][]peers.Method{fabric: same("round-trip"), port: same(pingPong)}})
	}
	return operations
}

// wanted returns the operations that the command line selects.
func wanted(c *cli.Context, net string) (selected []operation, err error) {
	streams := []int{4096, 64 << 10, 1 << 20, 32 << 20}
	if c.IsSet("bytes") && len(c.IntSlice("bytes")) > 0 {
		streams = c.IntSlice("bytes")
	}
	all := operations(net, streams, c.Int("n"))
	var names []string
	for _, one := range all {
		names = append(names, one.name)
		if slices.Contains(c.StringSlice("ops"), one.name) || !c.IsSet("ops") && !one.asked {
			selected = append(selected, one)
		}
	}
	for _, op := range c.StringSlice("ops") {
		if !slices.Contains(names, op) {
			return nil, usage.Errorf("--ops %s: want some of %s", op, strings.Join(names, ", "))
		}
	}
	for _, one := range selected {
		for _, size := range one.sizes {
			cfg := bench.Config{Op: one.own, Bytes: size, N: size, Samples: 1, Batch: 1}
			if err := cfg.Validate(); err != nil {
				return nil, usage.Wrap(err)
			}
		}
	}
	return selected, nil
}

// casesOf returns the cases of operations that are possible with a number of ranks.
func casesOf(selected []operation, ranks int, all []contestant) (cases []peers.Case) {
	for _, one := range selected {
		if one.pair && ranks != 2 {
			continue
		}
		for _, size := range one.sizes {
			cases = append(cases, peers.Case{Op: one.name, Size: size, Methods: one.methods(all)})
		}
	}
	return cases
}

func (o *operation) methods(all []contestant) (methods []peers.Method) {
	for i, c := range all {
		for _, way := range o.ways[c.kind] {
			way.System = i
			way.Beside = c.beside && !o.bare // among bare systems libfabric is the peer
			methods = append(methods, way)
		}
	}
	return methods
}

// symmetric returns the symmetric memory that a rank of OpenSHMEM needs for all operations: three
// matrices, a page, a stream's buffer twice since it is allocated again in another size, and more,
// because its allocator rounds sizes up to powers of two.
func symmetric(selected []operation) int {
	const more = 64 << 20
	bytes := 0
	for _, one := range selected {
		largest := slices.Max(one.sizes)
		if one.own == bench.Matmul || one.own == bench.Product {
			largest *= 8 * largest
		}
		bytes = max(bytes, largest)
	}
	return more + 8*bytes
}
