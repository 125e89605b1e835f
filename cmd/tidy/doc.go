// Command tidy checks that this repository follows its own rules.
//
//	go run ./cmd/tidy          # from any folder of the module
//	go run ./cmd/tidy lines    # how many lines there are of each kind
//	go test ./cmd/tidy         # the same rules, and a test that each rule can fail
//
// tidy prints one line for each breach, with the fault and how to fix it, and exits with 1. In a
// clean tree it prints a summary and exits with 0:
//
//	fagus/node.go:7: world: fagus imports time; take the time from ...
//	tidy: 12 packages, 74 files: clean
//
// It is not a general linter: apart from gofmt, its rules are specific to this repository. .ci/run
// also runs vet and staticcheck.
//
// # The rules
//
//	parse     every Go file parses
//	format    every Go file is as gofmt leaves it
//	imports   our packages import each other as the table in house.go says
//	world     net and time are imported only where that table gives a reason
//	purity    package fagus depends on no modules but btree and x/sys
//	packages  every package has a comment, a library has it in doc.go
//	comments  every exported name of a library has a comment that starts with the name
//	state     no init, no package variable that can change
//	banned    no math/rand, no os.Exit in libraries, no fmt.Print outside cmd
//	size      files up to 500 lines (tests 700), functions up to 80 (tests 150)
//	glossary  names and package comments avoid the words that CONTRIBUTING.md bans
//	prose     comments end before column 100 and cite no unpublished notes
//	license   LICENSE exists
//	links     links of pages lead to files
//
// The rules apply to all files, whatever their build constraints. tidy skips the folders that the
// go command skips: testdata, vendor, names with a leading dot or underscore, and nested modules.
//
// # To add a rule
//
// Write a file named after the rule, with a function that returns a rule: a name and a pure
// function from the parsed tree to the breaches. Pass limits and lists as arguments, so that tests
// and house.go can set them. Test the rule in a test file beside it with function planted, once
// with a breach and once without. Then add the rule to houseRules and to the list above, and a
// breach to the tree of TestEveryRuleFails.
package main
