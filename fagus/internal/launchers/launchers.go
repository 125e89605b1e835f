package launchers

// The variables that Fagus's own launcher sets, and that users may set by hand.
const (
	FagusRank = "FAGUS_RANK"
	FagusSize = "FAGUS_SIZE"
	// Completion is the variable that gives the rank of a pod of an Indexed Job of Kubernetes.
	Completion = "JOB_COMPLETION_INDEX"
)

// Launcher lists the variables that one kind of launcher sets. Where a field lists several
// variables, the first one that is set counts. An empty variable counts as not set.
type Launcher struct {
	Rank      string     // the rank of the process; never empty
	Step      string     // if not empty, Rank counts only where this variable is set too
	Sizes     []string   // the number of ranks
	LocalRank []string   // the rank among the ranks of this host
	LocalSize []string   // the number of ranks on this host
	Hosts     []string   // the number of hosts
	Jobs      [][]string // names of the job; the parts of a name are joined
	Allotted  string     // the number of processes that the allocation has capacity for
	Agrees    []string   // rank variables of other launchers; if set, they give the same rank
	Start     string     // advice for a process without a rank
}

// Required returns the variable whose absence means that l did not start the process as a rank.
func (l Launcher) Required() string {
	if l.Step != "" {
		return l.Step
	}
	return l.Rank
}

// Started reports whether l started the process as a rank. getenv returns the value of a variable.
func (l Launcher) Started(getenv func(string) string) bool {
	return getenv(l.Rank) != "" && getenv(l.Required()) != ""
}

// All returns the launchers in order of precedence. Slurm, Flux and Kubernetes come last because
// they allot hosts and may have started one of the other launchers.
func All() []Launcher {
	const mpirun = "start the program by the mpirun or mpiexec that sets these"
	return []Launcher{
		{Rank: FagusRank, Sizes: []string{FagusSize}, Start: "set " + FagusRank,
			Agrees: []string{"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PALS_RANKID", "PMI_RANK"}},
		// PMIx has no variable for the size.
		{Rank: "PMIX_RANK",
			Sizes:     []string{"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "PMI_SIZE"},
			LocalRank: []string{"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "MPI_LOCALRANKID"},
			LocalSize: []string{"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"},
			Jobs:      [][]string{{"PMIX_NAMESPACE"}, {"OMPI_MCA_ess_base_jobid"}},
			Agrees:    []string{"OMPI_COMM_WORLD_RANK"}, Start: "start the program by mpirun or srun"},
		{Rank: "OMPI_COMM_WORLD_RANK", Sizes: []string{"OMPI_COMM_WORLD_SIZE"},
			LocalRank: []string{"OMPI_COMM_WORLD_LOCAL_RANK"},
			LocalSize: []string{"OMPI_COMM_WORLD_LOCAL_SIZE"},
			Jobs:      [][]string{{"PMIX_NAMESPACE"}, {"OMPI_MCA_ess_base_jobid"}}, Start: mpirun},
		// PALS has no variable for the size either, but PMI, Flux or Slurm under it has one.
		{Rank: "PALS_RANKID", Sizes: []string{"PMI_SIZE", "FLUX_JOB_SIZE", "SLURM_STEP_NUM_TASKS"},
			LocalRank: []string{"PALS_LOCAL_RANKID", "PMI_LOCAL_RANK"},
			LocalSize: []string{"PALS_LOCAL_SIZE", "PMI_LOCAL_SIZE"},
			Jobs:      [][]string{{"PALS_APID"}}, Start: "start the program by mpiexec or aprun"},
		// Hydra (MPICH) has no variable for the job. PMI_ID, where it is set, is the rank.
		{Rank: "PMI_RANK", Sizes: []string{"PMI_SIZE"},
			LocalRank: []string{"MPI_LOCALRANKID", "PMI_LOCAL_RANK"},
			LocalSize: []string{"MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"},
			Jobs:      [][]string{{"PMI_JOBID"}}, Start: mpirun},
		{Rank: "FLUX_TASK_RANK", Sizes: []string{"FLUX_JOB_SIZE"},
			LocalRank: []string{"FLUX_TASK_LOCAL_ID"}, Hosts: []string{"FLUX_JOB_NNODES"},
			Jobs: [][]string{{"FLUX_JOB_ID"}}, Start: "start the program by flux run"},
		// A batch script and the shell of salloc have SLURM_PROCID=0 without being a rank.
		{Rank: "SLURM_PROCID", Step: "SLURM_STEP_ID", Sizes: []string{"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
			LocalRank: []string{"SLURM_LOCALID"}, Hosts: []string{"SLURM_STEP_NUM_NODES", "SLURM_NNODES"},
			Jobs: [][]string{{"SLURM_JOB_ID", "SLURM_STEP_ID"}}, Allotted: "SLURM_NTASKS", Start: "start the program by srun"},
		{Rank: Completion, Sizes: []string{FagusSize}, Start: "make it an Indexed Job"},
	}
}
