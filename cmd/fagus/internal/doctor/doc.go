// Package doctor has the command fagus doctor. It examines whether this machine has the features
// that ranks in processes of their own need, and recommends changes.
//
// With --hosts it examines hosts before a job is started on them. It runs a probe on each host, by
// ssh, which describes the host, listens where ranks would, and connects to the other probes:
//
//	v.run(ctx)          // begin, clocks, listen, reach: every step has a bound
//	r := v.report()     // judges what was found, without asking further
//
// A probe returns only what begins with a secret, which the probes have from ssh.
package doctor
