// Package launch starts the ranks of a job as processes, and ends all of them when one fails. It
// does not pin them to processors: the kernel chooses.
//
//	job := launch.Job{Size: 4, Argv: []string{"./app"}, Stdout: os.Stdout, Stderr: os.Stderr}
//	err := job.Run(ctx)
//
// Each process finds its place in the environment: FAGUS_RANK, FAGUS_SIZE, and FAGUS_JOB, a
// unique name from which the ranks derive the address where they meet (package cluster).
//
// # Several hosts
//
// Hosts runs Agent on each host by ssh and exchanges JSON with the agent over its standard input
// and output. The agent starts the ranks of its host and forwards their output. When its input
// ends, the agent ends the ranks. An agent reports when it starts and then at intervals, so a host
// that hangs is named. The agent of rank 0 chooses the address where the ranks meet
// (FAGUS_RENDEZVOUS). Unless all ranks are on one host, each rank reads an identity from a pipe
// (FAGUS_IDENTITY). Hosts.Run makes an authority of its own for the identities.
//
// # Output
//
// A line of rank 3 is printed as "3: line". Lines of different ranks are never mixed. A line is
// broken after 16 MiB. Job.PlainOut and Job.PlainErr forward the output unchanged.
//
// # Failures
//
// The first process that fails decides the exit code: its own code, or 128 plus the number of the
// signal that killed it. The other ranks get SIGTERM and, after Job.Grace, SIGKILL. Each rank leads
// a process group, so the processes that it started end too. If the launcher itself is killed, the
// kernel kills the ranks (Linux only), and a waiting shell kills the programs that they started. If
// ctx ends, the ranks are ended in the same way, by SIGINT if this process got SIGINT.
//
// # Restarts
//
// With Job.Restart the job is started again when a rank dies. A rank dies if a signal ends it (or
// an exit code of 129 to 192 says so), or if it is stopped for too long. It also dies if it is gone
// for the others, or if the connection to the agent of its host ends. Another exit code is the
// program's own decision, which it would repeat: the job fails. A panic in Go exits so, with 2,
// unless GOTRACEBACK=crash is set. The ranks that are left are killed. The next attempt starts when
// all processes that can be reached have ended. FAGUS_ATTEMPT is its number (0, 1, ...).
//
// An attempt shares nothing with earlier ones: it has its own FAGUS_JOB and FAGUS_EPOCH, so its own
// meeting point, identities, memory and connections. A process that is left of an earlier attempt,
// stopped or out of reach, can therefore neither join nor write. A program must protect its files
// itself, as package checkpoint does.
//
// A host that is lost is left out of later attempts. If the other hosts have too few slots, there
// are fewer ranks.
//
// With Hosts.Memory, another agent on each host that has ranks keeps checkpoints in its memory
// (package fagus/checkpoint/partner) as long as the job lives. Its end is the loss of its host.
// Each attempt has its own identities there, too: the agents end the old service and confirm that
// before the next ranks are started.
//
// With Job.Resize the job is also started again with another number of ranks, when the ranks have
// ended with the exit code [Stopped]. [Listen] takes such requests from [Scale].
//
// # Who failed
//
// A rank that fails because of another may exit first. On Linux each rank therefore reports
// through a pipe (FAGUS_ORIGIN) which rank failed first, and the error names that one.
package launch
