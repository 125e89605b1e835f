// Package cluster finds a process's place in a job and connects it with the other ranks.
//
//	place, err := cluster.FromEnv(os.LookupEnv)
//	if errors.Is(err, cluster.ErrNoJob) { ... } // no launcher: run alone
//	spec := cluster.Spec{Net: cluster.TCP}      // the zero value: all is in the environment
//	err = spec.Complete(os.LookupEnv, place)
//	job, err := cluster.Join(ctx, place, spec)
//	defer job.Close(ctx)
//	err = job.Network().Run(ctx, job.Size(), body)
//
// A Place says which rank of which job a process is, and a [Spec] how the ranks of the job meet and
// exchange data. Join calls JoinHost if all ranks are processes of one host, JoinHosts if
// FAGUS_RENDEZVOUS is host:port (Place.Spans), and JoinLauncher if the ranks join through their
// launcher.
//
// # Launchers
//
// FromEnv reads these variables in this order. It uses the first rank that is set:
//
//	FAGUS_RANK            FAGUS_SIZE
//	PMIX_RANK             OMPI_COMM_WORLD_SIZE, SLURM_STEP_NUM_TASKS, SLURM_NTASKS, PMI_SIZE
//	OMPI_COMM_WORLD_RANK  OMPI_COMM_WORLD_SIZE
//	PALS_RANKID           PMI_SIZE, FLUX_JOB_SIZE, SLURM_STEP_NUM_TASKS
//	PMI_RANK              PMI_SIZE
//	FLUX_TASK_RANK        FLUX_JOB_SIZE
//	SLURM_PROCID          SLURM_STEP_NUM_TASKS, SLURM_NTASKS (in a step only: SLURM_STEP_ID)
//	JOB_COMPLETION_INDEX  FAGUS_SIZE (Kubernetes: the manifest sets it)
//
// The job's name is FAGUS_JOB, else the launcher's name for the job, else FAGUS_RENDEZVOUS. The
// mpiexec of MPICH gives a job no name; set one by mpiexec -genv FAGUS_JOB $$.
//
// Slurm and Flux may start another launcher on the hosts that they allot, so their ranks may
// differ from the ranks of the other launcher. FAGUS_RANK and the MPI launchers must agree. A job
// of one rank is an error where any launcher reports more than one.
//
// With FAGUS_JOIN=pmi the ranks join through the key-value store of the launcher (JoinLauncher).
// The mpiexec of MPICH, Flux and srun --mpi=pmi2 have one. So have the mpirun of Open MPI and srun
// --mpi=pmix, for a program that is built with the tag pmix. The ranks open no port to meet, and
// the store names the job.
//
// FAGUS_NET names the transport of the data (Spec.Complete). FAGUS_EPOCH numbers the starts
// of a job; ranks of different starts refuse each other. fagus launch sets it, and also
// FAGUS_ATTEMPT: how often it has started the job before (--restart).
//
// # Protocol
//
// On one host, rank 0 listens on a Unix socket of type SOCK_SEQPACKET. Its abstract name is
// derived from the user and the job, or FAGUS_RENDEZVOUS gives a name or path after "unix:". Each
// end asks the kernel for the user at the other end. The other ranks connect and send a hello:
// versions of protocol and program, digest of the codecs, job, rank, size, pid, and timeout. When
// all ranks have joined, rank 0 welcomes them. If a process is late, or of another job or build,
// rank 0 sends the reason to all ranks, and for half a second to ranks that connect later.
//
// In a collective call each rank sends its share, a blob or a file, to rank 0. Rank 0 then sends
// all shares to every rank. A packet has at most 64 KiB and 64 files.
//
// Each rank keeps reading from its connections. If a connection ends without a goodbye, its rank
// is lost. Rank 0 announces the loss to all others; every rank sees the loss of rank 0 itself. A
// call fails the job for all ranks if its context ends, if ranks make different calls, or if a
// rank is lost.
//
// # Notes
//
// At any time a rank may ask another one for its note, in which Run says what the rank does: for
// roll-calls, and for errors that name the lines of two ranks. Rank 0 passes them on.
//
// # Several hosts
//
// On several hosts the ranks send the same messages to rank 0 by TLS, or by TCP if no rank has an
// identity, which --insecure permits. They find rank 0 through memberlist, a gossip library. Each
// process starts memberlist, encrypted with a key of the job, at the meeting point if that is a
// free address of its host. It publishes its job, epoch, rank, size, pid and host, and rank 0
// also publishes its address. If processes contradict each other for 0.7 s, every process gets an
// error.
//
// If memberlist considers a process dead, its rank is suspected. A rank reports its suspicion to
// rank 0, and rank 0 pings the suspect; a rank that suspects rank 0 pings rank 0 itself. A suspect
// that does not answer for Spec.Stall is lost. If all other ranks seem to be gone, a rank reports
// itself. While the pinging process is stopped, its count of the time advances by only 0.1 s.
//
// # Limits
//
// A blob of Gather has at most 1 MiB. The package does not detect a broken connection between two
// ranks that both reach rank 0: the network that carries the data must do so. Rank 0 needs one
// file descriptor per rank, and every rank needs one per file of a Swap. Processes of one user
// trust each other, as the kernel lets them debug each other anyway.
package cluster
