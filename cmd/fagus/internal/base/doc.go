// Package base is shared by the commands of fagus: checks of arguments and files,
// tables, JSON documents and the progress bar.
//
//	app.Commands = base.Complete(commands...)
//	...
//	bar := base.NewProgress(c.App.ErrWriter, "rows", rows)
//	defer bar.Stop()
package base
