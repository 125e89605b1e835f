package main

// houseRules are the rules that hold in this repository.
func houseRules() []rule {
	return []rule{
		parseRule(),
		formatRule(),
		importsRule(places()),
		worldRule(places()),
		purityRule("fagus", "github.com/google/btree", "golang.org/x/sys"),
		packagesRule(),
		commentsRule(),
		stateRule(exemptions()),
		bannedRule(bans()),
		sizeRule(limits{file: 500, function: 80}, limits{file: 700, function: 150}),
		licenseRule(),
	}
}

// place is what a package may import. Folders are counted from the module
// root, and may be patterns of path.Match: "apps/*" is every program.
type place struct {
	dir  string
	may  []string // our packages
	time string   // why it may import time; empty: it may not
	net  string   // why it may import net and what is below it; empty: it may not
}

// places is the plan of the house, bottom up: a row may name only rows above
// it, so imports point one way. The first row that matches a package counts.
func places() []place {
	return []place{
		{dir: "dimmnet"},
		{dir: "dimmnet/frametest"},
		{dir: "dimmnet/reliable", may: []string{"dimmnet"}},
		{dir: "dimmnet/sim/martini", may: []string{"dimmnet"}},
		{dir: "dimmnet/sim", may: []string{"dimmnet", "dimmnet/sim/martini", "dimmnet/reliable"},
			time: "gives the threads of a cancelled run some seconds to return"},
		{dir: "dimmnet/dimmnet2", may: []string{"dimmnet", "dimmnet/sim"}},
		{dir: "dimmnet/memory", may: []string{"dimmnet"}},
		{dir: "dimmnet/cpuset"},
		{dir: "dimmnet/inproc", may: []string{"dimmnet", "dimmnet/memory"}, time: "its clock is the wall clock"},
		{dir: "dimmnet/shm", may: []string{"dimmnet", "dimmnet/cpuset", "dimmnet/memory"},
			time: "its clock is the wall clock"},
		{dir: "dimmnet/identity", may: []string{"dimmnet"}, time: "certificates are valid from one time to another"},
		{dir: "dimmnet/stream", may: []string{"dimmnet", "dimmnet/cpuset", "dimmnet/memory"},
			time: "its clock is the wall clock"},
		{dir: "dimmnet/reach", net: "the addresses of this host"},
		{dir: "dimmnet/tcp", may: []string{"dimmnet", "dimmnet/cpuset", "dimmnet/identity", "dimmnet/reach", "dimmnet/stream", "dimmnet/memory"},
			time: "its clock is the wall clock", net: "it is what connects hosts"},
		{dir: "dimmnet/quic", may: []string{"dimmnet", "dimmnet/identity", "dimmnet/reach", "dimmnet/stream", "dimmnet/memory"},
			time: "its clock is the wall clock", net: "it is what connects hosts"},
		{dir: "dimmnet/porttest", may: []string{"dimmnet"},
			time: "seeds, and the bound after which a port counts as hanging"},
		{dir: "dimmnet/sendrecv", may: []string{"dimmnet"}}, {dir: "dimmnet/mpi", may: []string{"dimmnet"}}, {dir: "dimmnet/mpi/ivs", may: []string{"dimmnet", "dimmnet/mpi", "dimmnet/dimmnet2"}},
		{dir: "dimmnet/colony", may: []string{"dimmnet"}},
		{dir: "syncvar", may: []string{"dimmnet"}},
		{dir: "consistency", may: []string{"dimmnet", "syncvar"}},
		{dir: "consistency/history", may: []string{"dimmnet", "syncvar"}},
		{dir: "ringbuf", may: []string{"dimmnet"}},
		{dir: "phase", may: []string{"dimmnet", "ringbuf", "syncvar", "consistency"}},
		{dir: "phase/collective", may: []string{"dimmnet"}},

		{dir: "fagus/threaded", may: []string{"dimmnet", "ringbuf", "syncvar", "consistency"}},
		{dir: "fagus/source"},
		{dir: "fagus/guard", may: []string{"syncvar", "consistency", "fagus/source"}},
		{dir: "fagus/pagewatch"},
		{dir: "fagus/rollcall", may: []string{"dimmnet", "syncvar", "fagus/source"},
			time: "how long a rank has waited by the machine's clock, which no network tells from outside"},
		{dir: "fagus", may: []string{"dimmnet", "dimmnet/inproc", "ringbuf", "syncvar", "consistency", "consistency/history", "phase",
			"fagus/threaded", "fagus/guard", "fagus/pagewatch", "fagus/rollcall"}},
		{dir: "fagus/parts", may: []string{"fagus"}},
		{dir: "fagus/target", may: []string{"fagus"}},
		{dir: "fagus/region", may: []string{"fagus"}},
		{dir: "fagus/cluster", may: []string{"dimmnet", "dimmnet/identity", "dimmnet/quic", "dimmnet/shm", "dimmnet/tcp", "fagus"},
			time: "how long a rank waits for others, and a peer that may be stopped",
			net:  "joins processes by sockets"},
		{dir: "fagus/cluster/launch", may: []string{"dimmnet", "dimmnet/identity", "fagus/cluster"},
			time: "how long ranks may take to end",
			net:  "finds a port where ranks meet"},

		{dir: "apps/matrix"},
		{dir: "apps/gemm"},
		{dir: "apps/verify", may: []string{"fagus"}},
		{dir: "apps/npb", may: []string{"fagus"}},
		{dir: "apps/prk", may: []string{"fagus", "fagus/parts", "apps/verify"}},
		{dir: "apps/reproduce", may: []string{"dimmnet", "dimmnet/colony", "dimmnet/dimmnet2", "dimmnet/mpi", "dimmnet/mpi/ivs", "dimmnet/sim", "dimmnet/sim/martini", "dimmnet/sendrecv", "phase/collective"}},
		{dir: "apps/apptest", may: []string{"dimmnet", "dimmnet/inproc", "dimmnet/quic", "dimmnet/shm", "dimmnet/sim", "dimmnet/tcp", "fagus", "apps/npb", "apps/prk", "apps/verify"},
			time: "bounds a test"},
		{dir: "apps/swarm", may: []string{"dimmnet", "dimmnet/sim", "consistency/history", "fagus"},
			time: "bounds a run that hangs"},
		{dir: "apps/matmul", may: []string{"fagus", "fagus/parts", "apps/matrix", "apps/gemm", "apps/verify"}},
		{dir: "apps/mpimatmul", may: []string{"dimmnet", "dimmnet/mpi", "fagus/parts", "apps/gemm", "apps/matmul"}},
		{dir: "apps/*", may: []string{"fagus", "fagus/parts", "apps/matrix", "apps/npb", "apps/prk", "apps/gemm", "apps/verify"}},
		{dir: "cmd/fagus/corepair", time: "times a cache line"},
		{dir: "cmd/fagus/peers", may: []string{"fagus", "fagus/cluster", "fagus/cluster/launch", "apps/*"}, time: "what other systems take, and how long they may", net: "tells them by sockets what to do"},
		{dir: "cmd/fagusc/depend"},
		{dir: "cmd/fagusc/loops", may: []string{"cmd/fagusc/depend"}},
		{dir: "cmd/fagusc/*", may: []string{"cmd/fagusc/loops", "fagus", "fagus/region"}},
		{dir: "cmd/fagusc/kernels/byhand", may: []string{"cmd/fagusc/*", "fagus", "fagus/parts"}},
		{dir: "cmd/fagusc/kernels/compare", may: []string{"cmd/fagusc/*", "cmd/fagusc/kernels/byhand", "dimmnet/sim", "fagus"}},
		{dir: "cmd/libfagus", may: []string{"fagus", "fagus/cluster", "fagus/cluster/launch", "fagus/target", "apps/*"},
			time: "bounds compilers, and what they have made"},
		{dir: "cmd/fagus/results", may: []string{"fagus"}, time: "how long a run may take"},
		{dir: "cmd/*",
			may: []string{"dimmnet", "dimmnet/*", "dimmnet/mpi/*", "ringbuf", "syncvar", "consistency", "consistency/*", "phase",
				"fagus", "fagus/rollcall", "fagus/target", "fagus/cluster", "fagus/cluster/launch", "apps/*", "cmd/fagus/*", "cmd/fagusc/*"},
			time: "a command meets the user", net: "a command meets the user"},
	}
}

// exemption is a package variable that may stay.
type exemption struct {
	dir    string
	name   string
	reason string
}

func exemptions() []exemption {
	return []exemption{
		{"cmd/libfagus", "own", "a C program has one run, and hands no pointer to it around"},
	}
}

// bans are the names of the standard library that the house does without.
func bans() []ban {
	nowhere := func(*file) bool { return false }
	return []ban{
		{path: "math/rand", mend: "use math/rand/v2 with a seed that is printed", allowed: nowhere},
		{path: "os", name: "Exit", mend: "return an error", allowed: ends},
		{path: "log", name: "Fatal*", mend: "return an error", allowed: ends},
		{path: "fmt", name: "Print*", mend: "take an io.Writer or a *slog.Logger", allowed: prints},
	}
}
