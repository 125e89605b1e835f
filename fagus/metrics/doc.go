// Package metrics serves by HTTP what the ranks of a process do: to Prometheus, to the probes of
// Kubernetes, and to fagus top.
//
//	m := meter.New()
//	server, err := metrics.Serve("127.0.0.1:9100", m, metrics.About{Program: "life"})
//	if err != nil {
//		return err
//	}
//	defer server.Close()
//	_, err = fagus.Run(ctx, fagus.Config{Meter: m}, program)
//
// Programs of package program, and those of fagus run, do so with --metrics.
//
// # Paths
//
//	/metrics   the ranks of this process, for Prometheus
//	/healthz   200 unless the run has failed at a rank of this process
//	/readyz    200 while the programs of all ranks of this process run
//	/profile   a CPU profile of this process
//	/process   a Process: what this process is
//	/ranks     a Document: all ranks of the job, asked over the connections of the job
//
// # Limits
//
// A server reads nothing but the line and the headers of a request, and changes nothing. It has at
// most 64 connections: one more takes the place of the oldest, so probes are answered whatever
// other clients do. No more than 4 requests at a time reach the ranks. It has no passwords and no
// encryption: whoever reaches its address learns names of variables and source lines.
package metrics
