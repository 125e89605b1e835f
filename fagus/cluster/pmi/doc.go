// Package pmi is a client of the Process Management Interface: it connects a rank with the
// key-value store of the launcher that started the job. Ranks can exchange addresses in it on
// clusters that forbid listening ports.
//
//	c, err := pmi.Open(ctx, os.LookupEnv)
//	if errors.Is(err, pmi.ErrNone) { ... } // the launcher offers no store
//	defer c.Close(ctx)
//	all, err := c.Gather(ctx, own) // the bytes of all ranks, by rank
//
// A Client is a dimmnet.Member. The package implements the client's side of two protocols on the
// socket that the launcher passes in PMI_FD, and uses a library for a third:
//
//	PMI-1  lines "cmd=put kvsname=n key=k value=v\n"             mpiexec of MPICH (Hydra), Flux
//	PMI-2  a length in 6 characters, then "cmd=kvs-put;key=k;"   srun --mpi=pmi2
//	PMIx   libpmix                                               Open MPI, srun --mpi=pmix
//
// Open asks for PMI-2 if PMI_JOBID is set, which Slurm sets and PMI-2 requires, else for PMI-1. It
// uses the version that the launcher answers. Launchers with PMI_PORT instead of PMI_FD are not
// supported.
//
// The messages of PMIx are specified nowhere, so the package calls libpmix (Debian: libpmix-dev;
// version 4.2 is tested) if there is no PMI_FD, but PMIX_NAMESPACE. That needs the build tag pmix,
// cgo and Linux.
//
// # Gather
//
// A call puts the rank's own bytes into the store, waits in a fence for all ranks, and gets the
// bytes of the others:
//
//	put  fagus-1-0-0 = "1500.aGVsbG8..."    call 1, rank 0, piece 0: 1500 bytes in base64
//	put  fagus-1-0-1 = "bW9yZS..."
//	fence
//	get  fagus-1-1-0
//
// A value has at most the bytes that the launcher permits, and a line of PMI-1 fewer than 1024,
// because Slurm's server of PMI-1 cuts longer ones. The keys of each call are new, so one fence
// suffices. All ranks make the same calls in the same order.
//
// With PMIx a call has one value, "fagus-1", of all bytes, and the fence distributes the values.
//
// # Failure
//
// PMI does not report the loss of a rank. Hydra kills the job; srun does not, and leaves the other
// ranks in their fence until their context ends. OnLoss's function is called only when the launcher
// itself closes the connection. A failed call fails the Client, because the next answer may belong
// to the failed call. libpmix waits without a bound: when a call is given up, its goroutine stays.
//
// # Security
//
// Launchers show a job's values only to processes of the job, which have the same user. Between
// hosts a launcher may send them unencrypted, as Hydra and Open MPI do.
//
// # Limits
//
// A Gather takes at most 1 MiB per rank. A KiB costs about one request at its own rank and one at
// every other rank. The launcher keeps all values until the job ends. A process can open one Client
// in its life, because launchers end the connection with it.
package pmi
