// Package about has the commands of fagus that are about the command itself: version, help,
// completion and man.
//
//	app.Commands = append(app.Commands, about.Commands(tree)...)
package about
