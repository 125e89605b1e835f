// Package marked finds the processes of a job by a variable in their environment, whoever has
// started them. It reads /proc, and finds nothing where there is none.
//
//	cmd.Env = marked.Environ("FAGUS_LAB=7")
//	for pid := range marked.Processes("FAGUS_LAB=7") {
package marked
