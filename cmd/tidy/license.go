package main

// licenseRule wants the file that lets others use all this.
func licenseRule() rule {
	return rule{"license", func(t *tree) []breach {
		if exists(t.fsys, "LICENSE") {
			return nil
		}
		return []breach{{path: "LICENSE", line: 1, what: "missing", mend: "put it back"}}
	}}
}
