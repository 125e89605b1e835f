package main

import "slices"

// houseRules are the rules that hold in this repository.
func houseRules() []rule {
	return []rule{
		parseRule(),
		formatRule(),
		importsRule(places()),
		worldRule(places()),
		purityRule("fagus", "github.com/google/btree", "golang.org/x/sys"),
		purityRule("fagus/checkpoint", "github.com/google/btree", "golang.org/x/sys"),
		purityRule("fagus/program", "github.com/google/btree", "golang.org/x/sys"),
		packagesRule(),
		commentsRule(),
		stateRule(exemptions()),
		bannedRule(bans()),
		sizeRule(limits{file: 500, function: 80}, limits{file: 700, function: 150}),
		glossaryRule("docs/reference/glossary.md", "CONTRIBUTING.md"),
		proseRule(100),
		licenseRule(),
		linksRule(),
		widthRule(),
	}
}

// place says what the packages in a folder may import. Folders are relative to the module root, and
// may be patterns of path.Match: "apps/*" is every program.
type place struct {
	dir  string
	may  []string // the packages of this module that it may import
	time string   // why it may import time; empty: it may not
	net  string   // why it may import net and packages below net; empty: it may not
	text string   // why it may import packages below go, which read and write Go; empty: it may not
}

// places is the table of permitted imports, bottom up. A row may name only folders of rows above
// it, so imports point one way, and the packages that a user's program imports need no program of
// apps. The first row that matches a package counts.
func places() []place {
	return slices.Concat(nicPlaces(), corePlaces(), frontPlaces(), programPlaces(), fagusPlaces(), commandPlaces())
}

// nicPlaces are the contract of a Port, the simulated NICs, the live wires, and the libraries
// above a Port.
func nicPlaces() []place {
	return []place{
		{dir: "dimmnet"},
		{dir: "dimmnet/capacity"},
		{dir: "dimmnet/porttest/frametest"},
		{dir: "dimmnet/porttest/longtest"},
		{dir: "dimmnet/sim/reliable", may: []string{"dimmnet"}},
		{dir: "dimmnet/sim/martini", may: []string{"dimmnet"}},
		{dir: "dimmnet/sim/presets", may: []string{"dimmnet", "dimmnet/sim/martini", "dimmnet/sim/reliable"}},
		{dir: "dimmnet/sim/event", may: []string{"dimmnet"}},
		{dir: "dimmnet/sim/network", may: []string{"dimmnet", "dimmnet/sim/event", "dimmnet/sim/martini", "dimmnet/sim/presets"}},
		{dir: "dimmnet/sim/host", may: []string{"dimmnet", "dimmnet/capacity", "dimmnet/sim/event", "dimmnet/sim/network", "dimmnet/sim/presets", "dimmnet/sim/reliable"}},
		{dir: "dimmnet/sim", may: []string{"dimmnet", "dimmnet/sim/event", "dimmnet/sim/host", "dimmnet/sim/martini", "dimmnet/sim/network", "dimmnet/sim/presets"},
			time: "gives the threads of a cancelled run some seconds to return"},
		{dir: "dimmnet/sim/dimmnet2", may: []string{"dimmnet", "dimmnet/sim", "dimmnet/sim/host", "dimmnet/sim/network", "dimmnet/sim/presets"}},
		{dir: "dimmnet/live/memory", may: []string{"dimmnet"}},
		{dir: "dimmnet/live/cpuset"},
		{dir: "dimmnet/live/delay", time: "delays threads in tests"},
		{dir: "dimmnet/live/cycles", time: "it is a wall clock"},
		{dir: "dimmnet/live/local", may: []string{"dimmnet", "dimmnet/live/cycles", "dimmnet/live/delay", "dimmnet/live/memory"}, time: "its clock is the wall clock"},
		{dir: "dimmnet/live/inproc", may: []string{"dimmnet", "dimmnet/capacity", "dimmnet/live/delay", "dimmnet/live/local", "dimmnet/live/memory"}, time: "its clock is the wall clock"},
		{dir: "dimmnet/live/shm", may: []string{"dimmnet", "dimmnet/capacity", "dimmnet/live/cpuset", "dimmnet/live/delay", "dimmnet/live/local", "dimmnet/live/memory"},
			time: "its clock is the wall clock"},
		{dir: "dimmnet/live/identity", may: []string{"dimmnet"}, time: "certificates are valid from one time to another"},
		{dir: "dimmnet/live/stream", may: []string{"dimmnet", "dimmnet/live/cpuset", "dimmnet/live/delay", "dimmnet/live/local", "dimmnet/live/memory"},
			time: "its clock is the wall clock"},
		{dir: "dimmnet/live/pump", may: []string{"dimmnet", "dimmnet/live/delay", "dimmnet/live/stream"},
			time: "bounds how long a connection closes"},
		{dir: "dimmnet/live/reach", net: "the addresses of this host"},
		{dir: "dimmnet/live/mesh", may: []string{"dimmnet", "dimmnet/live/cpuset", "dimmnet/live/identity", "dimmnet/live/local", "dimmnet/live/memory", "dimmnet/live/reach", "dimmnet/live/stream"},
			time: "bounds handshakes", net: "the addresses of ranks"},
		{dir: "dimmnet/live/meshtest", may: []string{"dimmnet", "dimmnet/live/identity", "dimmnet/live/mesh"},
			time: "bounds a test"},
		{dir: "dimmnet/live/tcp", may: []string{"dimmnet", "dimmnet/live/cpuset", "dimmnet/live/delay", "dimmnet/live/identity", "dimmnet/live/mesh", "dimmnet/live/pump", "dimmnet/live/reach", "dimmnet/live/stream"},
			time: "its clock is the wall clock", net: "it is what connects hosts"},
		{dir: "dimmnet/live/ofi", may: []string{"dimmnet", "dimmnet/live/cpuset", "dimmnet/live/memory", "dimmnet/live/mesh", "dimmnet/live/stream"},
			time: "bounds how long an endpoint closes", net: "looks up the address from which a rank sends"},
		{dir: "dimmnet/live/quic", may: []string{"dimmnet", "dimmnet/live/identity", "dimmnet/live/mesh", "dimmnet/live/pump", "dimmnet/live/reach", "dimmnet/live/stream"},
			time: "its clock is the wall clock", net: "it is what connects hosts"},
		{dir: "dimmnet/porttest", may: []string{"dimmnet", "dimmnet/porttest/longtest"},
			time: "seeds, and the bound after which a port counts as hanging"},
		{dir: "dimmnet/lib/collective", may: []string{"dimmnet"}},
		{dir: "dimmnet/lib/sendrecv", may: []string{"dimmnet"}},
		{dir: "dimmnet/lib/mpi", may: []string{"dimmnet"}},
		{dir: "dimmnet/lib/mpi/ivs", may: []string{"dimmnet", "dimmnet/lib/mpi", "dimmnet/sim/dimmnet2"}},
		{dir: "dimmnet/sim/colony", may: []string{"dimmnet"}},
	}
}

// corePlaces are the protocol, its two engines, and the public package.
func corePlaces() []place {
	return []place{
		{dir: "syncvar", may: []string{"dimmnet"}},
		{dir: "consistency", may: []string{"dimmnet", "syncvar"}},
		{dir: "consistency/history", may: []string{"dimmnet", "syncvar"}},
		{dir: "consistency/order", may: []string{"syncvar"}},
		{dir: "ringbuf", may: []string{"dimmnet"}},
		{dir: "phase/movement", may: []string{"dimmnet", "ringbuf", "syncvar", "consistency"}},
		{dir: "phase/agreement", may: []string{"dimmnet", "syncvar", "consistency", "phase/movement"}},
		{dir: "phase/agreement/pairs", may: []string{"dimmnet", "syncvar", "consistency", "phase/agreement", "phase/movement"}},
		{dir: "phase/agreement/tree", may: []string{"dimmnet", "ringbuf", "syncvar", "consistency", "phase/agreement", "phase/movement"}},
		{dir: "phase", may: []string{"dimmnet", "ringbuf", "syncvar", "consistency", "phase/agreement", "phase/agreement/*", "phase/movement"}},

		{dir: "fagus/threaded", may: []string{"dimmnet", "ringbuf", "syncvar", "consistency"}},
		{dir: "fagus/locks", may: []string{"dimmnet", "dimmnet/live/delay", "syncvar", "consistency", "phase"}},
		{dir: "fagus/internal/source"},
		{dir: "fagus/internal/guard", may: []string{"syncvar", "consistency", "fagus/internal/source"}},
		{dir: "fagus/internal/pagewatch"},
		{dir: "fagus/internal/launchers"},
		{dir: "fagus/rollcall", may: []string{"dimmnet", "syncvar", "fagus/internal/source"},
			time: "how long a rank has waited by the machine's clock, which no network tells from outside"},
		{dir: "fagus/meter", may: []string{"dimmnet", "fagus/rollcall"}, time: "when a checkpoint was made"},
		{dir: "fagus/metrics", may: []string{"dimmnet", "fagus/meter", "fagus/rollcall"}, time: "how long a client may take", net: "serves by HTTP"},
		{dir: "fagus/trace", may: []string{"dimmnet", "syncvar", "fagus/rollcall"}},
		{dir: "fagus/trace/tracefile", may: []string{"dimmnet", "fagus/rollcall", "fagus/trace"}},
		{dir: "fagus/trace/analysis", may: []string{"dimmnet", "syncvar", "fagus/rollcall", "fagus/trace"}},
		{dir: "fagus/recording", may: []string{"dimmnet", "syncvar", "consistency", "fagus/rollcall"}},
		{dir: "fagus/replay", may: []string{"dimmnet", "syncvar", "consistency", "phase", "fagus/internal/source", "fagus/recording", "fagus/rollcall"}},
		{dir: "fagus", may: []string{"dimmnet", "dimmnet/capacity", "dimmnet/live/inproc", "ringbuf", "syncvar", "consistency", "consistency/history", "consistency/order", "phase",
			"fagus/threaded", "fagus/locks", "fagus/internal/guard", "fagus/internal/launchers", "fagus/internal/pagewatch", "fagus/internal/source", "fagus/meter", "fagus/recording", "fagus/replay", "fagus/rollcall", "fagus/trace"},
			time: "how long other processes may take to say what they do"},
		{dir: "fagus/parts/codec"},
		{dir: "fagus/parts", may: []string{"dimmnet", "fagus", "fagus/parts/codec"}},
		{dir: "fagus/checkpoint", may: []string{"fagus"}, time: "how often checkpoints are made, and when one was made"},
		{dir: "fagus/checkpoint/s3", may: []string{"fagus/checkpoint"}, time: "how long a server may take to answer", net: "asks a server by HTTP"},
		{dir: "fagus/checkpoint/partner", may: []string{"dimmnet", "dimmnet/live/identity", "fagus/checkpoint"}, time: "how long a host may take to answer", net: "asks hosts by HTTP"},
		{dir: "fagus/npy"},
		{dir: "fagus/region", may: []string{"fagus", "fagus/npy", "fagus/parts"}},
		{dir: "fagus/cluster/pmi", may: []string{"dimmnet"}, time: "how long a launcher may take to answer"},
		{dir: "fagus/cluster/meeting", net: "the addresses where processes meet"},
		{dir: "fagus/cluster/gossip", may: []string{"fagus/cluster/meeting"}, time: "how often a process asks others whether they are there", net: "limits the connections of memberlist"},
		{dir: "fagus/cluster", may: []string{"dimmnet", "dimmnet/live/identity", "dimmnet/live/local", "dimmnet/live/mesh", "dimmnet/live/ofi", "dimmnet/live/reach", "dimmnet/live/shm", "dimmnet/live/tcp", "fagus", "fagus/cluster/meeting", "fagus/cluster/pmi", "fagus/internal/launchers"},
			time: "how long a rank waits for others, and a peer that may be stopped",
			net:  "joins processes by sockets"},
		{dir: "fagus/cluster/launch", may: []string{"dimmnet", "dimmnet/live/identity", "dimmnet/live/reach", "fagus/checkpoint/partner", "fagus/cluster"},
			time: "how long ranks may take to end",
			net:  "finds a port where ranks meet"},
	}
}

// frontPlaces are what the command and programs of one's own share.
func frontPlaces() []place {
	return []place{
		{dir: "fagus/program/usage"},
		{dir: "fagus/program/outfile"},
		{dir: "fagus/program/cli", time: "declares flags that are durations"},
		{dir: "fagus/program/cmdline", may: []string{"fagus/program/cli", "fagus/program/usage"}},
		{dir: "fagus/program/repeat", may: []string{"fagus/cluster", "fagus/cluster/launch", "dimmnet"}, time: "how long a program may take to end"},
		{dir: "fagus/fagustest", may: []string{"dimmnet", "dimmnet/sim", "fagus"}, time: "bounds a test"},
		{dir: "fagus/program/runflags", may: []string{"consistency/history", "dimmnet", "dimmnet/capacity", "dimmnet/live/inproc", "dimmnet/live/ofi", "dimmnet/live/reach", "dimmnet/sim", "dimmnet/sim/presets", "dimmnet/sim/dimmnet2",
			"fagus", "fagus/checkpoint", "fagus/checkpoint/partner", "fagus/cluster", "fagus/cluster/launch", "fagus/internal/source", "fagus/meter", "fagus/metrics", "fagus/recording", "fagus/replay", "fagus/rollcall", "fagus/program/cli", "fagus/program/repeat", "fagus/program/usage", "fagus/program/outfile", "fagus/trace", "fagus/trace/tracefile"},
			time: "limits a run by the wall clock", net: "reads an address"},
		{dir: "fagus/program", may: []string{"dimmnet", "fagus", "fagus/cluster", "fagus/cluster/launch", "fagus/program/cli", "fagus/program/usage", "fagus/program/outfile", "fagus/program/runflags"},
			time: "how long ranks may take to end"},
	}
}

// programPlaces are the programs and the packages that they share.
func programPlaces() []place {
	shared := []string{"fagus", "fagus/parts", "apps/internal/matrix", "apps/internal/text", "apps/internal/npb", "apps/internal/npb/adi", "apps/internal/prk", "apps/internal/gemm", "apps/internal/verify"}
	return []place{
		{dir: "apps/internal/text"},
		{dir: "apps/internal/matrix", may: []string{"fagus/program/outfile", "apps/internal/text", "fagus/npy"}},
		{dir: "apps/internal/gemm"},
		{dir: "apps/internal/verify", may: []string{"fagus", "fagus/parts"}},
		{dir: "apps/internal/npb", may: []string{"fagus", "apps/internal/verify"}},
		{dir: "apps/internal/npb/adi", may: []string{"fagus", "fagus/parts", "apps/internal/npb", "apps/internal/verify"}},
		{dir: "apps/internal/prk", may: []string{"fagus", "fagus/parts", "apps/internal/verify"}},
		{dir: "apps/reproduce", may: []string{"dimmnet", "dimmnet/sim/colony", "dimmnet/sim/dimmnet2", "dimmnet/lib/mpi", "dimmnet/lib/mpi/ivs", "dimmnet/sim", "dimmnet/sim/martini", "dimmnet/sim/presets", "dimmnet/lib/sendrecv", "dimmnet/lib/collective"}},
		{dir: "apps/internal/apptest", may: []string{"dimmnet", "dimmnet/live/inproc", "dimmnet/live/mesh", "dimmnet/live/ofi", "dimmnet/live/quic", "dimmnet/live/shm", "dimmnet/sim", "dimmnet/live/tcp", "fagus", "apps/internal/npb", "apps/internal/prk", "apps/internal/verify", "dimmnet/porttest/longtest"},
			time: "bounds a test"},
		{dir: "apps/swarm", may: []string{"apps/internal/verify", "dimmnet", "dimmnet/sim", "dimmnet/sim/host", "dimmnet/sim/presets", "consistency/history", "fagus"},
			time: "bounds a run that hangs"},
		{dir: "apps/bench/echo", may: []string{"dimmnet", "dimmnet/live/local", "dimmnet/live/memory", "ringbuf"}, time: "its clock is the wall clock"},
		{dir: "apps/random", may: []string{"apps/internal/verify", "fagus"}, time: "orders the tenures of ranks in different processes"},
		{dir: "apps/matmul", may: []string{"fagus", "fagus/parts", "apps/internal/matrix", "apps/internal/gemm", "apps/internal/verify"}},
		{dir: "apps/mpimatmul", may: []string{"dimmnet", "dimmnet/lib/mpi", "fagus/parts", "apps/internal/gemm", "apps/matmul"}},
		{dir: "apps/[^c]*", may: shared},
		{dir: "apps/c[^a]*", may: shared}, // these two rows match all programs except apps/catalog
		{dir: "apps/catalog", may: []string{"dimmnet/capacity", "fagus", "apps/[^c]*", "apps/c[^a]*", "apps/internal/*", "fagus/program/outfile", "fagus/program/usage"},
			time: "reads flags that are durations, limits runs and measures how long they take"},
		{dir: "apps/examples/service", may: []string{"fagus", "fagus/parts", "fagus/program"}, time: "limits a request", net: "it is an HTTP server"},
		{dir: "apps/examples/*", may: []string{"fagus", "fagus/parts", "fagus/program", "fagus/npy"}},
	}
}

// fagusPlaces are the command groups of cmd/fagus. Only cmd/fagus can import them, because they are
// below its internal folder.
func fagusPlaces() []place {
	const in = "cmd/fagus/internal/"
	base, run, contest, figure := in+"base", in+"run", in+"contest", in+"figure"
	const runflags = "fagus/program/runflags"
	return []place{
		{dir: "cmd/internal/csession", may: []string{"fagus"}},
		{dir: base, may: []string{"fagus/program/cli", "dimmnet", "fagus/program/usage", "fagus/program/outfile", "fagus/program/cmdline"}},
		{dir: figure, may: []string{"fagus/program/outfile", "dimmnet"}},
		{dir: run, may: []string{"fagus/program/cmdline", "dimmnet/capacity", "fagus/program/outfile", "apps/catalog", "consistency/history", "dimmnet", "dimmnet/sim", "fagus", "fagus/cluster", "fagus/program/usage", base, runflags},
			time: "measures programs without Fagus"},
		{dir: in + "experiment", may: []string{"fagus/program/repeat", "fagus/program/usage", base, "fagus", "fagus/cluster", "fagus/cluster/launch", runflags}, time: "bounds how long a program takes to end"},
		{dir: contest, may: []string{"fagus/program/cmdline", "dimmnet", "fagus", "fagus/program/usage", base, in + "experiment", run, runflags}},
		{dir: in + "compare", may: []string{"fagus/program/repeat", "apps/catalog", "dimmnet", "dimmnet/sim/presets", "fagus", "fagus/program/usage", "fagus/program/outfile", base, in + "experiment", contest, figure, run, runflags}},
		{dir: in + "launch", may: []string{"fagus/program/cmdline", "cmd/internal/csession", "fagus", "fagus/cluster", "fagus/cluster/launch", "fagus/program/usage", base, runflags},
			net: "connects a simulation to processes"},
		{dir: in + "doctor", may: []string{"fagus/program/cmdline", "dimmnet", "dimmnet/capacity", "dimmnet/live/identity", "dimmnet/live/ofi", "dimmnet/live/reach", "fagus/cluster", "fagus/cluster/launch", "fagus/program/usage", base, runflags},
			time: "limits look-ups and steps, and compares clocks", net: "the addresses of this host, and whether others reach it"},
		{dir: in + "about", may: []string{"fagus/cluster", "fagus/program/cmdline", "fagus/program/usage", base}},
		{dir: in + "top", may: []string{"dimmnet", "fagus", "fagus/meter", "fagus/metrics", "fagus/program/outfile", "fagus/program/usage", "fagus/rollcall", base}, time: "how long a process may take to answer, and the time between frames", net: "asks a process by HTTP"},
		{dir: in + "data", may: []string{"apps/catalog", "fagus/program/usage", base}},
		{dir: in + "report", may: []string{"dimmnet", "fagus/program/usage", "fagus/program/outfile", "fagus/recording", "fagus/trace", "fagus/trace/analysis", "fagus/trace/tracefile", base, figure}},
		{dir: in + "elements", may: []string{base}},
		{dir: in + "travel", may: []string{"consistency", "dimmnet", "dimmnet/capacity", "syncvar", "fagus/npy", "fagus/program/outfile", "fagus/program/usage", "fagus/recording", "fagus/rollcall", "fagus/trace", base, in + "elements"},
			time: "reads a point of a run"},
		{dir: in + "replay", may: []string{"fagus/cluster", "fagus/program/runflags", "fagus/program/usage", "fagus/recording", "fagus/replay", base, in + "elements", in + "travel"}},
		{dir: in + "checkpoints", may: []string{"fagus/program/cmdline", "fagus/program/usage", "fagus/program/outfile", "fagus", "fagus/checkpoint", "fagus/npy", base, in + "elements", runflags}, time: "prints when a checkpoint was made"},
		{dir: in + "identity", may: []string{"dimmnet", "dimmnet/live/identity", "fagus/cluster", "fagus/program/usage"}},
		{dir: in + "newprogram", may: []string{"apps/[^c]*", "fagus/program/usage"}, time: "limits the Go tool"},
		{dir: in + "namespaces", time: "limits the command ip"},
		{dir: in + "bench/corepair", time: "times a cache line"},
		{dir: in + "bench/hog", may: []string{in + "bench/corepair"}, time: "limits the start and the end of a process"},
		{dir: in + "bench/ports", may: []string{"dimmnet"}, time: "times posts"},
		{dir: in + "bench/peers", may: []string{"apps/[^c]*", "fagus", "fagus/program/repeat", "fagus/cluster", "fagus/cluster/launch", in + "experiment"},
			time: "measures other systems, and limits their answers", net: "sends commands to them by sockets"},
		{dir: in + "bench", may: []string{"fagus/program/repeat", "fagus/program/cmdline", "apps/[^c]*", "apps/bench/echo", "apps/catalog", "consistency/history", "fagus", "fagus/rollcall", "fagus/program/usage", "dimmnet/live/ofi", base, in + "bench/*", in + "experiment", runflags},
			time: "measures OpenBLAS and MPI libraries", net: "finds a port for fi_pingpong"},
		{dir: in + "lab/anatomy", may: []string{"dimmnet", "dimmnet/sim/presets", "fagus/program/usage", base, figure}},
		{dir: in + "lab/colony", may: []string{"dimmnet", "dimmnet/sim/colony", "fagus/program/usage", base}},
		{dir: in + "lab/faults", may: []string{"fagus", "fagus/program/repeat", "fagus/program/usage", "fagus/program/outfile", base, in + "experiment", in + "namespaces", runflags}, time: "waits for processes, and measures until they tell"},
		{dir: in + "lab/jobs", may: []string{"fagus/program/usage", base, in + "experiment", runflags}, time: "limits jobs, and measures how long they take"},
		{dir: in + "lab/reproduce", may: []string{"apps/reproduce", "dimmnet/sim/colony", "fagus/program/usage", base, figure}},
		{dir: in + "lab/results", may: []string{"fagus/program/repeat", "fagus/program/cmdline", "dimmnet", "fagus", "fagus/program/usage", "fagus/program/outfile", base, in + "experiment", runflags}, time: "limits a run"},
		{dir: in + "lab/swarm", may: []string{"apps/swarm", "fagus/program/usage", base, in + "experiment"}, time: "limits a campaign"},
		{dir: in + "lab/sweep", may: []string{"fagus/program/cli", "fagus/program/repeat", "apps/[^c]*", "apps/catalog", "dimmnet", "dimmnet/lib/mpi", "dimmnet/lib/mpi/ivs", "dimmnet/sim/presets", "fagus", "fagus/program/usage", in + "experiment",
			base, contest, run, runflags, "fagus/program/cmdline"}, time: "reads flags that are durations, limits runs and measures how long they take"},
		{dir: in + "lab", may: []string{base, in + "lab/*"}},
	}
}

// commandPlaces are the commands.
func commandPlaces() []place {
	return []place{
		{dir: "cmd/fagusc/internal/depend"},
		{dir: "cmd/fagusc/internal/loops", may: []string{"cmd/fagusc/internal/depend"}},
		{dir: "cmd/fagusc/internal/plan", may: []string{"cmd/fagusc/internal/loops", "fagus", "fagus/region"}},
		{dir: "cmd/fagusc/internal/golang", may: []string{"cmd/fagusc/internal/loops", "cmd/fagusc/internal/plan", "fagus", "fagus/program/cmdline"}, text: "it is the front end and the writer of fagusc for Go"},
		{dir: "cmd/fagusvet/rules", text: "it checks Go programs"},
		{dir: "cmd/libfagus", may: []string{"dimmnet/live/quic", "fagus", "fagus/cluster/gossip", "fagus/cluster", "fagus/cluster/launch", "cmd/internal/csession", "apps/*"},
			time: "bounds compilers, and what they have made"},
		{dir: "cmd/*",
			may: []string{"dimmnet", "dimmnet/*", "dimmnet/*/*", "dimmnet/lib/mpi/*", "ringbuf", "syncvar", "consistency", "consistency/*", "phase",
				"fagus", "fagus/checkpoint", "fagus/checkpoint/*", "fagus/meter", "fagus/metrics", "fagus/recording", "fagus/rollcall", "fagus/trace", "fagus/trace/*", "dimmnet/live/quic", "fagus/cluster", "fagus/cluster/gossip", "fagus/cluster/launch", "apps/*", "fagus/program/*", "cmd/internal/*", "cmd/fagus/internal/*", "cmd/fagusc/internal/*", "cmd/fagusvet/rules"},
			time: "a command meets the user", net: "a command meets the user", text: "commands check Go programs"},
	}
}

// exemption is a package variable that the rule state permits.
type exemption struct {
	dir    string
	name   string
	reason string
}

func exemptions() []exemption {
	return []exemption{
		{"apps/examples/cg", "size", "a flag of a command"},
		{"apps/examples/cg", "steps", "a flag of a command"},
		{"apps/examples/fft", "size", "a flag of a command"},
		{"apps/examples/frontier", "scale", "a flag of a command"},
		{"apps/examples/frontier", "degree", "a flag of a command"},
		{"apps/examples/halo", "size", "a flag of a command"},
		{"apps/examples/halo", "steps", "a flag of a command"},
		{"apps/examples/halo", "out", "a flag of a command"},
		{"apps/examples/life", "size", "a flag of a command"},
		{"apps/examples/life", "generations", "a flag of a command"},
		{"apps/examples/nbody", "bodies", "a flag of a command"},
		{"apps/examples/nbody", "steps", "a flag of a command"},
		{"apps/examples/picture", "size", "a flag of a command"},
		{"apps/examples/picture", "name", "a flag of a command"},
		{"apps/examples/pipeline", "documents", "a flag of a command"},
		{"apps/examples/service", "listen", "a flag of a command"},
		{"apps/examples/tasks", "size", "a flag of a command"},
		{"apps/ep", "logTable", "a table that is computed once"},
		{"cmd/libfagus", "own", "a C program has one run, and hands no pointer to it around"},
		{"dimmnet/sim/presets", "parsed", "a constant: the file, parsed when a network is first made"},
		{"dimmnet/live/delay", "exploring", "only in tests: with a handle, calls of Here would cost something in a normal build"},
	}
}

// bans are the names of the standard library that this repository must not use.
func bans() []ban {
	nowhere := func(*file) bool { return false }
	return []ban{
		{path: "math/rand", mend: "use math/rand/v2 with a seed that is printed", allowed: nowhere},
		{path: "os", name: "Exit", mend: "return an error", allowed: ends},
		{path: "log", name: "Fatal*", mend: "return an error", allowed: ends},
		{path: "fmt", name: "Print*", mend: "take an io.Writer or a *slog.Logger", allowed: prints},
	}
}
