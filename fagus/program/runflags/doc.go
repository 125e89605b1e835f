// Package runflags reads the flags that all programs share, which select the network, the number
// of nodes and the engine. It turns them into a valid [Config], and runs an [App] as a Config says.
//
//	cfg, err := runflags.FromFlags(c)       // flags and the launcher's environment
//	err = app.Execute(c, cfg)
//
// A command that makes many runs opens the network of a Config itself:
//
//	on, err := cfg.Open(ctx)                // joins the other ranks if they are processes
//	report, err := on.Run(ctx, program)
//	err = on.Close(ctx)
//
// The package is for the commands of this repository and for package program: its API may change
// with any of them.
//
// [Networks] lists all networks. A command that supports only some networks selects from the list.
package runflags
