package cluster

import (
	"errors"
	"maps"
	"strings"
	"testing"
)

type vars map[string]string

// with returns a copy of v with some variables changed; an empty value removes a variable.
func (v vars) with(changes vars) vars {
	w := maps.Clone(v)
	for name, value := range changes {
		w[name] = value
		if value == "" {
			delete(w, name)
		}
	}
	return w
}

func (v vars) lookup(name string) (string, bool) {
	value, ok := v[name]
	return value, ok
}

// openMPI returns the variables that Open MPI 4.1.4 sets for rank 2 of mpirun -n 4, without most
// variables that begin with OMPI_MCA_ and PMIX_. openMPI and hydra are recordings of real runs.
func openMPI() vars {
	return vars{
		"OMPI_APP_CTX_NUM_PROCS": "4", "OMPI_COMMAND": "env", "OMPI_FIRST_RANKS": "0",
		"OMPI_COMM_WORLD_LOCAL_RANK": "2", "OMPI_COMM_WORLD_LOCAL_SIZE": "4",
		"OMPI_COMM_WORLD_NODE_RANK": "2", "OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4",
		"OMPI_MCA_ess": "^singleton", "OMPI_MCA_ess_base_jobid": "746520577", "OMPI_MCA_ess_base_vpid": "2",
		"OMPI_MCA_orte_ess_num_procs": "4", "OMPI_NUM_APP_CTX": "1", "OMPI_UNIVERSE_SIZE": "2",
		"PMIX_HOSTNAME": "vm", "PMIX_ID": "746520577.2", "PMIX_NAMESPACE": "746520577", "PMIX_RANK": "2",
		"PMIX_SERVER_URI41": "746520576.0;tcp4://127.0.0.1:33497", "PMIX_VERSION": "4.2.2rc2",
	}
}

// hydra returns the variables that MPICH 4.0.2 sets for rank 3 of mpiexec -n 4.
func hydra() vars {
	return vars{
		"HYDI_CONTROL_FD": "7", "MPIR_CVAR_CH3_INTERFACE_HOSTNAME": "vm", "MPI_LOCALNRANKS": "4",
		"MPI_LOCALRANKID": "3", "PMI_FD": "18", "PMI_RANK": "3", "PMI_SIZE": "4",
	}
}

// slurm returns the variables that Slurm sets for rank 5 of srun -N 2 -n 8.
func slurm() vars {
	return vars{
		"SLURM_JOB_ID": "4711", "SLURM_JOBID": "4711", "SLURM_JOB_NUM_NODES": "2", "SLURM_LOCALID": "1",
		"SLURM_NNODES": "2", "SLURM_NODEID": "1", "SLURM_NPROCS": "8", "SLURM_NTASKS": "8", "SLURM_PROCID": "5",
		"SLURM_STEP_ID": "3", "SLURM_STEPID": "3", "SLURM_STEP_NUM_NODES": "2", "SLURM_STEP_NUM_TASKS": "8",
		"SLURM_STEP_TASKS_PER_NODE": "4(x2)", "SLURM_TASKS_PER_NODE": "4(x2)", "SLURM_TASK_PID": "901",
	}
}

// flux returns the variables of rank 1 of flux run -N 1 -n 4, with the simple PMI plugin.
func flux() vars {
	return vars{
		"FLUX_JOB_ID": "f2Wzq1", "FLUX_JOB_NNODES": "1", "FLUX_JOB_SIZE": "4", "FLUX_KVS_NAMESPACE": "job-77",
		"FLUX_TASK_LOCAL_ID": "1", "FLUX_TASK_RANK": "1", "PMI_FD": "22", "PMI_RANK": "1", "PMI_SIZE": "4",
	}
}

// pals returns the variables that PALS sets for rank 6 of mpiexec -n 8 --ppn 4.
func pals() vars {
	return vars{
		"PALS_APID": "9c0e", "PALS_DEPTH": "1", "PALS_LOCAL_RANKID": "2", "PALS_LOCAL_SIZE": "4", "PALS_NODEID": "1",
		"PALS_RANKID": "6", "PALS_SPOOL_DIR": "/var/run/palsd/9c0e",
		"PMI_CONTROL_PORT": "20000", "PMI_LOCAL_RANK": "2", "PMI_LOCAL_SIZE": "4", "PMI_RANK": "6", "PMI_SIZE": "8",
	}
}

// kubernetes returns the variables of the second pod of an Indexed Job with a manifest that sets
// FAGUS_SIZE and FAGUS_RENDEZVOUS.
func kubernetes() vars {
	return vars{
		"JOB_COMPLETION_INDEX": "1", "FAGUS_SIZE": "3", "FAGUS_RENDEZVOUS": "fagus-0.fagus:7070",
		"KUBERNETES_SERVICE_HOST": "10.0.0.1", "HOSTNAME": "fagus-1",
	}
}

func TestFromEnv(t *testing.T) {
	fagus := vars{"FAGUS_RANK": "1", "FAGUS_SIZE": "2", "FAGUS_JOB": "j"}
	again := Place{1, 2, -1, 0, "j", "a:7070", "FAGUS_RANK", 3, false, 3}
	for name, tt := range map[string]struct {
		env  vars
		want Place
	}{
		"fagus":      {fagus, Place{1, 2, -1, 0, "j", "", "FAGUS_RANK", 0, false, 0}},
		"restarted":  {envOf(again.Environ()), again},
		"unix":       {fagus.with(vars{"FAGUS_JOB": "", "FAGUS_RENDEZVOUS": "unix:@x"}), Place{1, 2, -1, 0, "unix:@x", "unix:@x", "FAGUS_RANK", 0, false, 0}},
		"open mpi":   {openMPI(), Place{2, 4, 2, 4, "746520577", "", "PMIX_RANK", 0, false, 0}},
		"older ones": {openMPI().with(vars{"PMIX_RANK": "", "PMIX_NAMESPACE": ""}), Place{2, 4, 2, 4, "746520577", "", "OMPI_COMM_WORLD_RANK", 0, false, 0}},
		// The job is one of several in a Slurm allocation.
		"in slurm": {openMPI().with(vars{"SLURM_NTASKS": "8", "SLURM_PROCID": "0", "SLURM_JOB_ID": "1"}), Place{2, 4, 2, 4, "746520577", "", "PMIX_RANK", 0, false, 0}},
		"one of it": {openMPI().with(vars{"SLURM_NTASKS": "8", "SLURM_PROCID": "0", "SLURM_JOB_ID": "1", "PMIX_RANK": "0", "OMPI_COMM_WORLD_RANK": "0",
			"OMPI_COMM_WORLD_SIZE": "1", "OMPI_COMM_WORLD_LOCAL_RANK": "0", "OMPI_COMM_WORLD_LOCAL_SIZE": "1"}), Place{0, 1, 0, 1, "746520577", "", "PMIX_RANK", 0, false, 0}},
		"hydra":        {hydra().with(vars{"FAGUS_JOB": "j"}), Place{3, 4, 3, 4, "j", "", "PMI_RANK", 0, false, 0}},
		"hydra, pmi":   {hydra().with(vars{"FAGUS_JOIN": "pmi"}), Place{3, 4, 3, 4, "", "", "PMI_RANK", 0, true, 0}},
		"its size too": {hydra().with(vars{"FAGUS_JOB": "j", "FAGUS_SIZE": "4"}), Place{3, 4, 3, 4, "j", "", "PMI_RANK", 0, false, 0}},
		"hydra, slurm": {hydra().with(slurm()).with(vars{"SLURM_PROCID": "3", "SLURM_STEP_NUM_TASKS": "4"}), Place{3, 4, 3, 4, "4711.3", "", "PMI_RANK", 0, false, 0}},
		"slurm":        {slurm(), Place{5, 8, 1, 0, "4711.3", "", "SLURM_PROCID", 0, false, 0}},
		"slurm, pmix": {slurm().with(vars{"PMIX_RANK": "5", "PMIX_NAMESPACE": "slurm.pmix.4711.3"}),
			Place{5, 8, 1, 0, "slurm.pmix.4711.3", "", "PMIX_RANK", 0, false, 0}},
		"slurm, one host": {slurm().with(vars{"SLURM_STEP_NUM_NODES": "1", "SLURM_LOCALID": "5"}), Place{5, 8, 5, 8, "4711.3", "", "SLURM_PROCID", 0, false, 0}},
		"slurm, older":    {slurm().with(vars{"SLURM_STEP_NUM_TASKS": ""}), Place{5, 8, 1, 0, "4711.3", "", "SLURM_PROCID", 0, false, 0}},
		"flux":            {flux().with(vars{"PMI_RANK": ""}), Place{1, 4, 1, 4, "f2Wzq1", "", "FLUX_TASK_RANK", 0, false, 0}},
		// PMI gives the rank but no job name; Flux agrees on the rank and gives a name.
		"flux, pmi":  {flux(), Place{1, 4, 1, 4, "f2Wzq1", "", "PMI_RANK", 0, false, 0}},
		"pals":       {pals(), Place{6, 8, 2, 4, "9c0e", "", "PALS_RANKID", 0, false, 0}},
		"kubernetes": {kubernetes(), Place{1, 3, -1, 0, "fagus-0.fagus:7070", "fagus-0.fagus:7070", "JOB_COMPLETION_INDEX", 0, false, 0}},
		"emptied":    {fagus.with(vars{"PMI_SIZE": "4"}).with(vars{"PMI_SIZE": ""}), Place{1, 2, -1, 0, "j", "", "FAGUS_RANK", 0, false, 0}},
		// A Slurm step of one task starts all ranks of another launcher.
		"a step of one": {fagus.with(slurm()).with(vars{"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "1"}), Place{1, 2, -1, 0, "j", "", "FAGUS_RANK", 0, false, 0}},
		"alone in slurm": {slurm().with(vars{"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "1", "SLURM_NTASKS": "1", "SLURM_LOCALID": "0", "SLURM_STEP_NUM_NODES": "1"}),
			Place{0, 1, 0, 1, "4711.3", "", "SLURM_PROCID", 0, false, 0}},
	} {
		got, err := FromEnv(tt.env.lookup)
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v: want %+v", name, got, err, tt.want)
		}
	}
}

func TestFromEnvNoJob(t *testing.T) {
	for name, env := range map[string]vars{
		"nothing": {},
		"empty":   {"FAGUS_RANK": "", "PMI_RANK": "", "FAGUS_SIZE": ""},
		"a batch script of one": slurm().with(vars{"SLURM_STEP_ID": "", "SLURM_STEPID": "", "SLURM_NTASKS": "1",
			"SLURM_STEP_NUM_TASKS": "", "SLURM_PROCID": "0"}),
	} {
		if p, err := FromEnv(env.lookup); !errors.Is(err, ErrNoJob) {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

func TestFromEnvErrors(t *testing.T) {
	one := vars{"FAGUS_RANK": "0", "FAGUS_SIZE": "1", "FAGUS_JOB": "j"}
	for _, tt := range []struct {
		env  vars
		says []string
	}{
		{vars{"FAGUS_RANK": "1"}, []string{"without a size", "FAGUS_RANK=1", "FAGUS_SIZE not set"}},
		{vars{"FAGUS_SIZE": "1"}, []string{"without a rank", "FAGUS_SIZE=1", "FAGUS_RANK not set"}},
		{vars{"PMIX_RANK": "1"}, []string{"PMIX_RANK=1", "OMPI_COMM_WORLD_SIZE not set", "SLURM_NTASKS not set", "PMI_SIZE not set"}},
		{kubernetes().with(vars{"FAGUS_SIZE": ""}), []string{"JOB_COMPLETION_INDEX=1", "set FAGUS_SIZE"}},
		{kubernetes().with(vars{"FAGUS_RENDEZVOUS": ""}), []string{"JOB_COMPLETION_INDEX=1", "FAGUS_JOB", "FAGUS_RENDEZVOUS"}},
		{hydra(), []string{"PMI_RANK=3", "without a name", "FAGUS_JOB", "FAGUS_RENDEZVOUS"}},
		{one.with(vars{"FAGUS_JOIN": "mpi"}), []string{`FAGUS_JOIN="mpi"`, "want pmi"}},
		{one.with(vars{"FAGUS_RANK": "1"}), []string{"FAGUS_RANK=1", "FAGUS_SIZE=1"}},
		{one.with(vars{"FAGUS_SIZE": "0"}), []string{"FAGUS_RANK=0", "FAGUS_SIZE=0"}},
		{one.with(vars{"FAGUS_RANK": "-1"}), []string{`FAGUS_RANK="-1" is not a number`}},
		{one.with(vars{"FAGUS_RANK": "two"}), []string{`FAGUS_RANK="two" is not a number`}},
		{one.with(vars{"FAGUS_SIZE": "65537"}), []string{`FAGUS_SIZE="65537" is not a number from 0 to 65536`}},
		{openMPI().with(vars{"OMPI_COMM_WORLD_LOCAL_RANK": "4"}), []string{"OMPI_COMM_WORLD_LOCAL_RANK=4", "OMPI_COMM_WORLD_LOCAL_SIZE=4"}},
		{openMPI().with(vars{"OMPI_COMM_WORLD_LOCAL_SIZE": "5"}), []string{"OMPI_COMM_WORLD_LOCAL_SIZE=5", "OMPI_COMM_WORLD_SIZE=4"}},
		{openMPI().with(vars{"OMPI_COMM_WORLD_LOCAL_SIZE": "x"}), []string{`OMPI_COMM_WORLD_LOCAL_SIZE="x"`}},
		{openMPI().with(vars{"FAGUS_SIZE": "8"}), []string{"two sizes", "OMPI_COMM_WORLD_SIZE=4", "FAGUS_SIZE=8"}},
		{openMPI().with(vars{"FAGUS_SIZE": "8", "FAGUS_RANK": "2"}), []string{"contradict", "FAGUS_SIZE=8", "OMPI_COMM_WORLD_SIZE=4"}},
		{openMPI().with(vars{"FAGUS_SIZE": "4", "FAGUS_RANK": "0"}), []string{"contradict", "FAGUS_RANK=0", "PMIX_RANK=2"}},
		{openMPI().with(vars{"PMIX_RANK": "1"}), []string{"contradict", "PMIX_RANK=1", "OMPI_COMM_WORLD_RANK=2"}},
		// Each of the processes would be a job of one rank.
		{openMPI().with(one), []string{"contradict", "FAGUS_SIZE=1", "OMPI_COMM_WORLD_SIZE=4"}},
		{slurm().with(one), []string{"contradict", "FAGUS_SIZE=1", "SLURM_STEP_NUM_TASKS=8"}},
		{slurm().with(vars{"PMI_RANK": "0", "PMI_SIZE": "1"}), []string{"contradict", "PMI_SIZE=1", "SLURM_STEP_NUM_TASKS=8"}},
		{openMPI().with(vars{"PMIX_RANK": "", "OMPI_COMM_WORLD_RANK": ""}), []string{"OMPI_COMM_WORLD_SIZE=4", "RANK not set"}},
		{slurm().with(vars{"SLURM_PROCID": ""}), []string{"SLURM_STEP_NUM_TASKS=8", "srun"}},
		// A batch script, the shell of salloc, and the shell of an interactive step.
		{slurm().with(vars{"SLURM_STEP_ID": "", "SLURM_STEP_NUM_TASKS": "", "SLURM_PROCID": "0"}), []string{"SLURM_NTASKS=8", "SLURM_STEP_ID not set", "srun"}},
		{vars{"SLURM_JOB_ID": "1", "SLURM_NTASKS": "4"}, []string{"SLURM_NTASKS=4", "SLURM_STEP_ID not set", "srun"}},
		{slurm().with(vars{"SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "0"}), []string{"SLURM_STEP_NUM_TASKS=1", "SLURM_NTASKS=8", "srun"}},
	} {
		p, err := FromEnv(tt.env.lookup)
		if err == nil || errors.Is(err, ErrNoJob) {
			t.Errorf("%v: %+v, %v", tt.env, p, err)
			continue
		}
		for _, want := range tt.says {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v\nreturns %q, want %q", tt.env, err, want)
			}
		}
	}
}

// TestOnHost: the ranks of a host have different numbers, and the first of each host 0 if the
// launcher says which it is.
func TestOnHost(t *testing.T) {
	for _, c := range []struct {
		env  string
		want int
	}{
		{"FAGUS_RANK=3 FAGUS_SIZE=4 FAGUS_JOB=j", 3},
		{"OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=1 PMIX_NAMESPACE=j", 1},
		{"JOB_COMPLETION_INDEX=3 FAGUS_SIZE=4 FAGUS_JOB=j", 0},
	} {
		set := make(map[string]string)
		for _, word := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(word, "=")
			set[name] = value
		}
		place, err := FromEnv(func(name string) (string, bool) { v, ok := set[name]; return v, ok })
		if err != nil || place.OnHost() != c.want {
			t.Errorf("%s: the rank is number %d of its host, want %d; error %v", c.env, place.OnHost(), c.want, err)
		}
	}
}
