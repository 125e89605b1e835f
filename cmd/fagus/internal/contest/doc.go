// Package contest runs several versions of Fagus side by side with the same programs, for
// comparisons and sweeps.
//
//	t, err := contest.New(c, contest.Inside)
//	...
//	runs, err := contest.InTurn(t, len(jobs), name, runOnce)
//
// The versions take turns, so that a disturbance of the machine affects all of them. On a wall
// clock the figures are medians of several rounds.
package contest
