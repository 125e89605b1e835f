// Package faults has the command fagus lab faults. It starts jobs of real processes, on this host
// or on network namespaces that stand for hosts, strikes each with one fault, and shows how long
// it takes until the user gets a report, whether it names the right rank, and what is left behind.
//
//	struck, err := t.strike(ctx, number)   // runs a job, and returns a row of the table
package faults
