// Package cpuset counts the processors that the processes of a job may use together, and compares
// them with those near a device.
//
// mpirun and srun bind each rank to processors of its own. A rank that counted only its own
// processors would find fewer of them than ranks on the host, and would not spin when it waits.
package cpuset
