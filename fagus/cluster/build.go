package cluster

import "runtime/debug"

// codecs is a digest of the code that reads and writes what ranks send to each other, without its
// comments. TestCodecs compares it with that code; `go test ./fagus/cluster -run TestCodecs
// -update` writes it.
const codecs = "a906e2a578cbf323"

const modulePath = "github.com/fagus-dsm/fagus"

// Build returns what must be the same in all ranks of a job: the version of the program, and a
// digest of the code that reads and writes messages.
func Build() (program, codecsDigest string) { return buildText(), codecs }

// buildText returns the name and version of this program, and the version of Fagus in it, as the
// Go tool recorded them. The version of a program built in a repository contains its revision.
func buildText() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "a program of unknown version"
	}
	return versions(info)
}

func versions(info *debug.BuildInfo) string {
	text := info.Path + " " + info.Main.Version
	for _, m := range info.Deps {
		if m.Path == modulePath {
			if m.Replace != nil {
				m = m.Replace
			}
			text += ", fagus " + m.Version
		}
	}
	return text
}
