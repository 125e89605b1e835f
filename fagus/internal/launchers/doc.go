// Package launchers lists the job launchers that Fagus knows: which environment variables tell a
// process its rank, the size of its job, and the job's name.
//
//	for _, l := range launchers.All() {
//		if l.Started(os.Getenv) {
//			fmt.Println(os.Getenv(l.Rank))
//		}
//	}
//
// Package cluster reads a process's place in its job from this table. Package fagus only warns a
// process that a launcher started as one of several if it runs all ranks itself.
package launchers
