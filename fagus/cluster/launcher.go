package cluster

// launcher is how one kind of launcher tells a process its place.
type launcher struct {
	rank string // the variable
	// started, if any, is set in processes that were started as ranks only: others
	// have the rank of the shell that they come from.
	started string
	// The first variable that is set counts.
	sizes, localRank, localSize []string
	hosts                       []string // how many hosts the job has
	jobs                        [][]string
	allotted                    string   // for how many processes there is room
	agrees                      []string // other launchers' ranks, which must say the same if they are set
	start                       string   // what to do for a process that has no rank
}

// absent is the variable whose absence makes a process no rank.
func (l launcher) absent() string {
	if l.started != "" {
		return l.started
	}
	return l.rank
}

// launchers are all that FromEnv knows, the first first. Those which only
// allot hosts come last: they may have started one of the others.
func launchers() []launcher {
	const mpirun = "start the program by the mpirun or mpiexec that sets these"
	return []launcher{
		{rank: fagusRank, sizes: []string{fagusSize}, start: "set " + fagusRank,
			agrees: []string{"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PALS_RANKID", "PMI_RANK"}},
		// PMIx has no variable for the size.
		{rank: "PMIX_RANK",
			sizes:     []string{"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "PMI_SIZE"},
			localRank: []string{"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "MPI_LOCALRANKID"},
			localSize: []string{"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"},
			jobs:      [][]string{{"PMIX_NAMESPACE"}, {"OMPI_MCA_ess_base_jobid"}},
			agrees:    []string{"OMPI_COMM_WORLD_RANK"}, start: "start the program by mpirun or srun"},
		{rank: "OMPI_COMM_WORLD_RANK", sizes: []string{"OMPI_COMM_WORLD_SIZE"},
			localRank: []string{"OMPI_COMM_WORLD_LOCAL_RANK"},
			localSize: []string{"OMPI_COMM_WORLD_LOCAL_SIZE"},
			jobs:      [][]string{{"PMIX_NAMESPACE"}, {"OMPI_MCA_ess_base_jobid"}}, start: mpirun},
		// Nor has PALS; it sets those of PMI beside its own, or Flux and Slurm do.
		{rank: "PALS_RANKID", sizes: []string{"PMI_SIZE", "FLUX_JOB_SIZE", "SLURM_STEP_NUM_TASKS"},
			localRank: []string{"PALS_LOCAL_RANKID", "PMI_LOCAL_RANK"},
			localSize: []string{"PALS_LOCAL_SIZE", "PMI_LOCAL_SIZE"},
			jobs:      [][]string{{"PALS_APID"}}, start: "start the program by mpiexec or aprun"},
		// Hydra has no variable for the job: PMI_ID, where it is set, is the rank.
		{rank: "PMI_RANK", sizes: []string{"PMI_SIZE"},
			localRank: []string{"MPI_LOCALRANKID", "PMI_LOCAL_RANK"},
			localSize: []string{"MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"},
			jobs:      [][]string{{"PMI_JOBID"}}, start: mpirun},
		{rank: "FLUX_TASK_RANK", sizes: []string{"FLUX_JOB_SIZE"},
			localRank: []string{"FLUX_TASK_LOCAL_ID"}, hosts: []string{"FLUX_JOB_NNODES"},
			jobs: [][]string{{"FLUX_JOB_ID"}}, start: "start the program by flux run"},
		{rank: "SLURM_PROCID", started: "SLURM_STEP_ID", sizes: []string{"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
			localRank: []string{"SLURM_LOCALID"}, hosts: []string{"SLURM_STEP_NUM_NODES", "SLURM_NNODES"},
			jobs: [][]string{{"SLURM_JOB_ID", "SLURM_STEP_ID"}}, allotted: "SLURM_NTASKS", start: "start the program by srun"},
		{rank: "JOB_COMPLETION_INDEX", sizes: []string{fagusSize}, start: "make it an Indexed Job"},
	}
}
