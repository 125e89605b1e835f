package main

// licenseRule requires a LICENSE file.
func licenseRule() rule {
	return rule{"license", func(t *tree) []breach {
		if exists(t.fsys, "LICENSE") {
			return nil
		}
		return []breach{{path: "LICENSE", line: 1, what: "missing", mend: "put it back"}}
	}}
}
