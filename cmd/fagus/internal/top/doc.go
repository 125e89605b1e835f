// Package top is the commands fagus top and fagus profile: what the ranks of a job do, again and
// again, and on what their processors spend time.
//
// fagus top asks a process that serves metrics (package metrics) for a Document; that process asks
// the other ranks over the connections of the job. What comes from there is checked, and printed
// without control characters. fagus profile asks each process for a profile, and merges them.
package top
