// Package colony has the command fagus lab colony. It runs a random program over the home, copy
// and dummy pages of the Computer Colony's NIC, and reports the cost of each kind of access
// (docs/lab/colony.md).
package colony
