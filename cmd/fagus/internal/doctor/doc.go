// Package doctor has the command fagus doctor. It examines whether this machine has the features
// that ranks in processes of their own need, and recommends changes.
package doctor
