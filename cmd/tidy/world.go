package main

import "fmt"

// worldRule keeps the clock and the network out of all packages but those that
// have a reason in the table. Tests may use both.
func worldRule(table []place) rule {
	return rule{"world", func(t *tree) []breach {
		var breaches []breach
		for _, p := range t.packages {
			here, known := placeOf(table, p.dir)
			if !known {
				continue // the rule imports reports it
			}
			for _, f := range p.sources() {
				breaches = append(breaches, worldly(f, p.dir, here)...)
			}
		}
		return breaches
	}}
}

// worldly are the imports of f, in the folder dir, that its place has no reason for.
func worldly(f *file, dir string, here place) []breach {
	var breaches []breach
	for _, im := range f.imports {
		var mend string
		switch {
		case im.path == "time" && here.time == "":
			mend = "take the time from the dimmnet.Host, or give a reason in places in cmd/tidy/house.go"
		case within(im.path, "net") && here.net == "":
			mend = "leave the network to a port, or give a reason in places in cmd/tidy/house.go"
		default:
			continue
		}
		breaches = append(breaches, breach{path: f.path, line: im.line,
			what: fmt.Sprintf("%s imports %s", dir, im.path), mend: mend})
	}
	return breaches
}
