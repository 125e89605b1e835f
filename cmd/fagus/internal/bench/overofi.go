package bench

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

const (
	shmProvider     = "shm"
	socketsProvider = "sockets"
)

// overProvider returns the peers of --net ofi. All communication of Open MPI, Sandia OpenSHMEM and
// the bare fabric is by the provider: peers.System.Over makes sure of it. MPICH and OpenSHMEM of
// Debian use UCX, which has no libfabric, and are shown beside.
func (f *field) overProvider() []library {
	// The message layer: ob1 and its BTLs, and windows in shared memory, are out of reach.
	message := []string{"OMPI_MCA_pml=cm", "OMPI_MCA_mtl=ofi", "OMPI_MCA_mtl_ofi_provider_include=" + f.over,
		"OMPI_MCA_btl=self", "OMPI_MCA_osc=pt2pt"}
	if f.over == shmProvider {
		message = append(message, "PEER_LOCAL=1") // opened.c
	}
	// The one-sided layer, which can also send messages. Its windows are by messages, too: osc/rdma
	// keeps windows and locks of one host in shared memory, past the provider.
	oneSided := []string{"OMPI_MCA_pml=ob1", "OMPI_MCA_btl=ofi,self", "OMPI_MCA_btl_ofi_mode=2",
		"OMPI_MCA_btl_ofi_provider_include=" + f.over, "OMPI_MCA_osc=pt2pt"}
	if f.over == socketsProvider {
		// The provider has threads, which must not share a processor with a rank that spins.
		message = append(message, "OMPI_MCA_hwloc_base_binding_policy=none")
	}
	all := []library{f.overOFI(openMPI("Open MPI", message...))}
	if f.over != "tcp;ofi_rxm" { // btl/ofi of 4.1.4 does not accept it
		all = append(all, f.overOFI(openMPI("Open MPI, btl", oneSided...)))
	}
	heap := fmt.Sprintf("SHMEM_SYMMETRIC_SIZE=%d", f.heap)
	all = append(all,
		f.overOFI(library{kind: shmem, name: "Sandia OpenSHMEM", suffix: "sos", launcher: "mpirun.mpich", env: []string{heap, "SHMEM_OFI_PROVIDER=" + f.over}}))
	if f.ranks == leastRanks {
		bare := f.overOFI(library{kind: fabric, name: "libfabric", suffix: "fabric", env: []string{"FABRIC_PROVIDER=" + f.over}})
		bare.beside = true
		all = append(all, bare)
	}
	return append(all, f.overUCX(heap)...)
}

func (f *field) overOFI(l library) library {
	l.over = f.over
	// The libraries of PSM, which libfabric loads, write a file when a process ends by a signal.
	l.env = append(l.env, "HFI_NO_BACKTRACE=1", "IPATH_NO_BACKTRACE=1")
	return l
}

// overUCX returns the peers of Debian that cannot use libfabric, over what is nearest to the
// provider. OpenSHMEM over TCP is missing: its puts do not arrive (docs/lab/peers.md).
func (f *field) overUCX(heap string) []library {
	if f.over == shmProvider {
		m, s := mpich("MPICH, UCX shm", "UCX_TLS=sm,self"), openSHMEM("OpenSHMEM, UCX shm", heap, "UCX_TLS=sm,self")
		m.beside, s.beside = true, true
		return []library{m, s}
	}
	m := mpich("MPICH, UCX tcp", "UCX_TLS=tcp,self", "UCX_NET_DEVICES=lo", "MPIR_CVAR_NOLOCAL=1")
	m.beside = true
	return []library{m}
}

// ownOverProvider returns the systems of Fagus over the provider, and beside them those over its
// own TCP and shared memory.
func (f *field) ownOverProvider() []contestant {
	provider := []string{"--provider", f.over}
	all := []contestant{f.rank("Fagus", fagus.PlacePrivate, provider...)}
	if f.ranks == leastRanks {
		bare := f.rank("Fagus, port", fagus.PlacePrivate, append(provider, "--bare")...)
		bare.kind = port
		all = append(all, bare)
	}
	for _, net := range []string{runflags.TCP, runflags.SHM} {
		one := f.rank("Fagus, own "+net, fagus.PlacePrivate, "--net", net)
		one.beside = true
		all = append(all, one)
	}
	shared := f.rank("Fagus, own shm, shared", fagus.PlaceShared, "--net", runflags.SHM)
	shared.beside = true
	return append(all, shared)
}
