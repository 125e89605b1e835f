package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/peers"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// kind says by which methods a system performs the operations.
type kind int

const (
	own    kind = iota // Fagus
	mpi                // bench/peers/mpi
	shmem              // bench/peers/shmem
	fabric             // bench/peers/fabric
	port               // a port of Fagus, without the engine (serve.go)
)

type contestant struct {
	peers.System
	kind   kind
	beside bool // peers.Method.Beside
}

// library is a peer with settings: the program peer.suffix, which launcher starts.
type library struct {
	kind                   kind
	name, suffix, launcher string
	env                    []string
	over                   string // peers.System.Over
	beside                 bool   // peers.Method.Beside
}

const (
	// noRepMovsb keeps glibc from copying by the instruction rep movsb, which is slow on some
	// processors when source and destination have the same offset in a page.
	noRepMovsb = "GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=1073741824"
	// noCMA makes Open MPI copy through its shared segment instead of by process_vm_readv.
	noCMA = "OMPI_MCA_btl_vader_single_copy_mechanism=none"
	// yields makes Open MPI call sched_yield while it waits.
	yields = "OMPI_MCA_mpi_yield_when_idle=1"
)

func openMPI(name string, env ...string) library {
	return library{kind: mpi, name: name, suffix: "openmpi", launcher: "mpirun.openmpi", env: env}
}

func mpich(name string, env ...string) library {
	return library{kind: mpi, name: name, suffix: "mpich", launcher: "mpirun.mpich", env: env}
}

func openSHMEM(name string, env ...string) library {
	return library{kind: shmem, name: name, suffix: "openshmem", launcher: "oshrun", env: env}
}

// field says on what systems are compared.
type field struct {
	net    string
	over   string // the provider of libfabric; "" unless net is ofi
	self   string // the program fagus
	folder string // of the peers' programs
	cpus   []int  // ranks take them in turns
	ranks  int
	hogs   int
	free   bool // nobody is bound to a processor
	heap   int  // bytes of symmetric memory that a rank of OpenSHMEM needs for the operations
}

// crowded reports whether ranks share processors with each other.
func (f *field) crowded() bool { return f.ranks > len(f.cpus) }

// libraries returns the peers: each library with its default settings, and with the best known
// settings (docs/lab/peers.md).
func (f *field) libraries() []library {
	if f.net == runflags.OFI {
		return f.overProvider()
	}
	if f.net == runflags.TCP {
		all := []library{openMPI("Open MPI", overTCP("openmpi")...)}
		if f.sharing() {
			all = append(all, openMPI("Open MPI, yield", append(overTCP("openmpi"), yields)...))
		}
		return append(all, mpich("MPICH", overTCP("mpich")...))
	}
	all := []library{openMPI("Open MPI")}
	if !f.crowded() { // its barriers are slow where ranks share a processor
		all = append(all, openMPI("Open MPI, best", "OMPI_MCA_coll_sm_priority=100", noCMA, noRepMovsb))
	}
	if f.sharing() {
		all = append(all, openMPI("Open MPI, yield", yields, noCMA, noRepMovsb))
	}
	all = append(all, mpich("MPICH"), mpich("MPICH, best", noRepMovsb))
	heap := fmt.Sprintf("SHMEM_SYMMETRIC_SIZE=%d", f.heap)
	all = append(all, openSHMEM("OpenSHMEM", heap))
	if f.sharing() {
		all = append(all, openSHMEM("OpenSHMEM, yield", heap, yields))
	}
	return all
}

// overTCP returns the settings by which all messages of a library go by TCP on the loopback device.
func overTCP(library string) []string {
	if library == "openmpi" {
		return []string{"OMPI_MCA_pml=ob1", "OMPI_MCA_btl=tcp,self", "OMPI_MCA_osc=pt2pt", "OMPI_MCA_btl_tcp_if_include=lo"}
	}
	return []string{"UCX_TLS=tcp,self", "UCX_NET_DEVICES=lo", "MPIR_CVAR_NOLOCAL=1"}
}

// threadedBudget limits the time of all samples of an operation in threaded mode, which is slow
// where helper threads share processors.
const threadedBudget = 2 * time.Second

// own returns the systems of Fagus.
func (f *field) own() []contestant {
	if f.net == runflags.OFI {
		return f.ownOverProvider()
	}
	if f.net == runflags.TCP {
		all := []contestant{f.rank("Fagus", fagus.PlacePrivate)}
		if f.free {
			all = append(all, f.rank("Fagus, threaded", fagus.PlacePrivate, "--mode", fagus.Threaded.String()), f.goroutines(fagus.Phase), f.goroutines(fagus.Threaded))
		}
		return all
	}
	threaded := f.rank("Fagus, threaded", fagus.PlaceShared, "--mode", fagus.Threaded.String())
	threaded.Budget = threadedBudget
	all := []contestant{f.rank("Fagus, shared", fagus.PlaceShared), f.rank("Fagus, private", fagus.PlacePrivate), threaded}
	if f.free {
		all = append(all, f.goroutines(fagus.Phase), f.goroutines(fagus.Threaded))
	}
	return all
}

// goroutines returns a system whose ranks are goroutines of one process. It has no environment:
// that would say that the process is a rank of a job.
func (f *field) goroutines(mode fagus.Mode) contestant {
	argv := []string{"env", "-i", f.self, "bench", "--net", runflags.Inproc, "--nodes", fmt.Sprint(f.ranks), "--mode", mode.String(), "--" + unbound, "--serve"}
	return contestant{System: peers.System{Name: "Fagus, goroutines, " + mode.String(), Own: true, Launched: true, Ranks: f.ranks, Argv: argv}, kind: own}
}

// places returns the argument that says where ranks of peers run.
func (f *field) places() string {
	if f.free {
		return "any"
	}
	return commas(f.cpus)
}

// rank returns a system of Fagus. more are flags that its ranks get, too; they may repeat --net.
func (f *field) rank(name string, placement fagus.Placement, more ...string) contestant {
	argv := []string{f.self, "bench", "--net", f.net, "--placement", placement.String(), "--cpus", commas(f.cpus)}
	if f.free {
		argv = append(argv, "--"+unbound)
	}
	argv = append(argv, more...)
	return contestant{System: peers.System{Name: name, Own: true, Ranks: f.ranks, Argv: append(argv, "--serve")}, kind: own}
}

// competitors returns Fagus and the installed peers; missing names the peers not installed.
func (f *field) competitors() (all []contestant, missing []string, err error) {
	all = f.own()
	owns := len(all)
	var why error
	for _, l := range f.libraries() {
		argv, err := l.argv(f)
		if err != nil {
			why, missing = err, append(missing, l.name)
			continue
		}
		one := peers.System{Name: l.name, Ranks: f.ranks, Launched: l.launcher != "", Over: l.over, Env: append(asRoot(), l.env...), Argv: argv}
		all = append(all, contestant{one, l.kind, l.beside})
	}
	if len(all) == owns {
		return nil, nil, fmt.Errorf("bench: no peers: %w; make -C bench peers builds them in bench/build, with Debian's openmpi-bin libopenmpi-dev mpich libmpich-dev", why)
	}
	return all, missing, nil
}

// argv returns the command line that starts the peer's program.
func (l library) argv(f *field) ([]string, error) {
	program, err := filepath.Abs(filepath.Join(f.folder, "peer."+l.suffix))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(program); err != nil {
		return nil, err
	}
	if l.launcher == "" {
		return []string{program, f.places()}, nil
	}
	argv, err := launch(l.launcher, f.ranks, f.crowded())
	if err != nil {
		return nil, err
	}
	return append(argv, program, f.places()), nil
}

// launch returns the beginning of a command line that starts ranks of a program. crowded permits
// more ranks than processors.
func launch(launcher string, ranks int, crowded bool) ([]string, error) {
	path, err := exec.LookPath(launcher)
	if err != nil {
		return nil, err
	}
	argv := []string{path, "-n", strconv.Itoa(ranks)}
	if launcher != "mpirun.mpich" && crowded {
		argv = append(argv, "--oversubscribe")
	}
	return argv, nil
}

func commas(numbers []int) string { return strings.Join(base.Map(numbers, strconv.Itoa), ",") }

// asRoot returns the environment variables that let Open MPI run as root, as in a container.
func asRoot() []string {
	if os.Geteuid() != 0 {
		return nil
	}
	return []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}
}
