// Package launch starts the ranks of a job as processes, and ends all of them when one
// fails.
//
//	job := launch.Job{Size: 4, Argv: []string{"./app", "--n", "512"}, Stdout: os.Stdout, Stderr: os.Stderr}
//	code, err := job.Run(ctx)
//
// Every process finds its place in the environment: FAGUS_RANK, FAGUS_SIZE and FAGUS_JOB,
// a name that no other job has, from which the ranks make out how they meet
// (package cluster).
//
// # Several hosts
//
// Hosts runs Agent on each host by ssh, and speaks with it in JSON over its standard input
// and output. The agent starts the host's ranks and passes on their output; they end with
// its input. Where ranks meet is chosen by the agent of rank 0 (FAGUS_RENDEZVOUS). Each rank
// gets an identity of an authority that lives as long as Hosts.Run, by a pipe
// (FAGUS_IDENTITY), unless all are on one host.
//
// # Output
//
// A line of rank 3 comes out as "3: line"; lines of different ranks are never mixed. A
// line that is longer than 64 KiB is broken. With Job.PlainOut and PlainErr output is passed on as it is.
//
// # Ends
//
// The first process that fails decides the exit code: its own, or 128 and the number of
// the signal that killed it. The others get SIGTERM and, if they are still there after
// Job.Grace, SIGKILL; so does everything that they started, since each leads a process
// group. If the launcher itself is killed, the kernel kills the ranks (Linux). When ctx ends the
// ranks are ended likewise.
package launch
