package main

import "fmt"

// worldRule forbids the packages time and net, and those that read and write Go, except where the
// table gives a reason. Tests may use all.
func worldRule(table []place) rule {
	return rule{"world", func(t *tree) []breach {
		var breaches []breach
		for _, p := range t.packages {
			here, known := placeOf(table, p.dir)
			if !known {
				continue // reported by the rule imports
			}
			for _, f := range p.sources() {
				breaches = append(breaches, worldly(f, p.dir, here)...)
			}
		}
		return breaches
	}}
}

// worldly returns the imports of f, in folder dir, that need a reason and for which here has none.
func worldly(f *file, dir string, here place) []breach {
	var breaches []breach
	for _, im := range f.imports {
		var mend string
		switch {
		case im.path == "time" && here.time == "":
			mend = "take the time from the dimmnet.Host, or give a reason in places in cmd/tidy/house.go"
		case within(im.path, "net") && here.net == "":
			mend = "leave the network to a port, or give a reason in places in cmd/tidy/house.go"
		case within(im.path, "go") && here.text == "":
			mend = "leave the syntax to a front end, or give a reason in places in cmd/tidy/house.go"
		default:
			continue
		}
		breaches = append(breaches, breach{path: f.path, line: im.line,
			what: fmt.Sprintf("%s imports %s", dir, im.path), mend: mend})
	}
	return breaches
}
