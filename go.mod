module github.com/fagus-dsm/fagus

go 1.26
