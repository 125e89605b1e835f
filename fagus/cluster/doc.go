// Package cluster tells a process its place in a job, and joins it with the other ranks.
// So far all ranks of a job must be processes of one host.
//
//	place, err := cluster.FromEnv(os.LookupEnv)
//	if errors.Is(err, cluster.ErrNoJob) { ... } // no launcher: go on alone
//	host, err := cluster.JoinHost(ctx, place, cluster.HostConfig{})
//	defer host.Close(ctx)
//	err = shm.Join(shm.Config{}, host).Run(ctx, host.Size(), body)
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
// # Protocol
//
// Rank 0 listens at a Unix socket of whole packets, of an abstract name that follows from user
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
// # Limits
//
// A blob of Gather is 1 MiB at most. Rank 0 needs a file descriptor for each rank, and all
// ranks one for each file of a Swap. A process that is stopped is waited for. Processes of one
// user trust each other as far as the kernel makes them: they could debug each other.
package cluster
