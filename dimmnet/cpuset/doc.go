// Package cpuset counts the processors that the processes of a job may use together.
//
// mpirun and srun bind ranks to processors: one that looked at its own alone would take the
// others for rivals, and not wait for them awake.
package cpuset
