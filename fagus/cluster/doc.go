// Package cluster tells a process its place in a job, and joins it with the other ranks.
//
//	place, err := cluster.FromEnv(os.LookupEnv)
//	if errors.Is(err, cluster.ErrNoJob) { ... } // no launcher: go on alone
//	host, err := cluster.JoinHost(ctx, place, cluster.HostConfig{})
//	defer host.Close(ctx)
//	err = shm.Join(shm.Config{}, host).Run(ctx, host.Size(), body)
//
// JoinHost is for ranks that are all processes of one host. JoinHosts is for those of several,
// whose Place has a FAGUS_RENDEZVOUS of host:port (Place.Spans):
//
//	cfg, err := cluster.HostsConfigFromEnv(os.LookupEnv, dimmnet.Rank(place.Rank))
//	hosts, err := cluster.JoinHosts(ctx, place, cfg)
//	err = hosts.Network(cluster.TCP).Run(ctx, hosts.Size(), body)
//
// Run chooses between them.
//
// # Launchers
//
// FromEnv asks these variables, and the first rank that it finds counts:
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
// The job's name is FAGUS_JOB, or what the launcher calls it, or FAGUS_RENDEZVOUS. MPICH's
// mpiexec has no name for a job: mpiexec -genv FAGUS_JOB $$ gives it one.
//
// Slurm and Flux give out hosts and may start another launcher, so they may say something
// else than it does. FAGUS_RANK and MPI's launchers must agree, and nothing may say that there
// are more ranks than the one that this process would be.
//
// FAGUS_NET names what carries the data (TransportFromEnv). FAGUS_EPOCH numbers the starts of a job: ranks of another one are refused.
//
// # Protocol
//
// On one host rank 0 listens at a Unix socket of whole packets, of an abstract name that follows from user
// and job, or at the name or path of a FAGUS_RENDEZVOUS that begins with "unix:". Both ends ask
// the kernel for the other's user. The others dial and say hello: version, job, rank, size,
// pid, and how long they wait. When all have come rank 0 welcomes them; when one is wrong or
// late it tells all why, and stays half a second for those that dial just then.
//
// In a collective call each rank sends its share to rank 0, and rank 0 all of them to
// everybody. Packets are of 64 KiB and 64 files at most.
//
// Each rank keeps reading from its connections. One that ends without a goodbye is a loss,
// which rank 0 tells all others; the loss of rank 0 is seen by all. A call that cannot end,
// because its context is done, because ranks make different calls, or because of a loss, fails
// the job for all.
//
// # Several hosts
//
// The same messages go over connections to rank 0 of TLS, or of plain TCP where nobody has
// an identity. memberlist finds rank 0: each process starts it, encrypted with a key of the
// job, at the meeting point if that is an address of its host and free, and tells all others
// its job, epoch, rank, size, pid, host, and where rank 0 answers. What contradicts itself for
// 0.7 s is an error at every process.
//
// A process that memberlist takes for dead is suspected. Rank 0 asks it, or if it is rank 0
// each that suspects it does; other ranks tell rank 0 of whom they suspect. Who does not
// answer for 1.1 s, of which a stop of the asking process counts as 0.1 s, is lost.
//
// # Limits
//
// A blob of Gather is 1 MiB at most. The loss of a connection between two ranks of which both
// reach rank 0 is for the network that they use to see. Rank 0 needs a file descriptor for
// each rank, and all ranks one for each file of a Swap. Processes of one user trust each
// other as far as the kernel makes them: they could debug each other.
package cluster
