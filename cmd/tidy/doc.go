// Command tidy holds the repository to the rules of the house.
//
//	go run ./cmd/tidy     # from any folder of the module
//	go test ./cmd/tidy    # the same rules, and proof that each can fail
//
// It prints one line a breach, what is wrong before how to mend it, and exits
// with 1; in a clean tree it prints the sum and exits with 0:
//
//	fagus/node.go:7: world: fagus imports time; take the time from ...
//	tidy: 12 packages, 74 files: clean
//
// It is not a linter: gofmt apart, nothing here is about how Go is written
// elsewhere. What vet and staticcheck find is left to them (see .ci/run).
//
// # The rules
//
//	parse     every Go file parses
//	format    every Go file is as gofmt leaves it
//	imports   our packages import each other as the table in house.go says
//	world     net and time are imported only where that table gives a reason
//	purity    a program that imports fagus pulls in no module but two
//	packages  every package has a comment, a library has it in doc.go
//	comments  every exported name of a library has a comment that starts with it
//	state     no init, no package variable that can change
//	banned    no math/rand, no os.Exit in libraries, no fmt.Print outside cmd
//	size      files up to 500 lines (tests 700), functions up to 80 (tests 150)
//	license   LICENSE is there
//
// All files count, whatever their build constraints: a rule holds on every
// system. Folders that the go command skips (testdata, vendor, a leading dot or
// underscore, a module of their own) are skipped here.
//
// # To add a rule
//
// Write a file that is named after it, with a function that returns a rule: a
// name and a pure function from the parsed tree to the breaches. What may vary
// is an argument, so that tests can set it and house.go decides it. Test it
// beside that file with planted, once with a breach and once without. Then add
// it to houseRules, to the list above, and to the tree of TestEveryRuleFails.
package main
