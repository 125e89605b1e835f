// Package cpuset counts the processors that the processes of a job may use together, and compares
// them with the processors near a device. It pins nothing.
//
// mpirun and srun pin each rank to processors of its own. A rank that counted only its own
// processors would find fewer of them than ranks on the host, and would not poll when it waits.
package cpuset
