// Package checkpoint keeps checkpoints of Fagus programs in a directory, or in any other Store.
//
//	store, err := checkpoint.OpenDirectory("/scratch/job7")
//	cfg.Checkpoints = checkpoint.New(checkpoint.Config{Store: store, Every: 30 * time.Second})
//	report, err := fagus.Run(ctx, cfg, program)   // program calls Node.Resume and Node.Steps
//
// # What is promised
//
// A checkpoint is valid as a whole or not at all, whenever a rank, the host or its power fails: the
// ranks write parts, each of which is durable before the manifest that names them is written. A
// part or a manifest that is torn, missing, exchanged or changed is noticed by its checksums, and
// the checkpoint before it is used; its data are never wrong. Checksums are CRC-32C: they find
// accidents, not forgeries.
//
// # Objects
//
// A checkpoint with the number 7 has these objects in its Store, each of which is written once and
// appears as a whole. No number is used twice, and of two jobs that write the same object, one
// fails:
//
//	c00000007.manifest    JSON, and a line with its checksum: state, loop, input, arrays, parts
//	c00000007-00003.part  what rank 3 owned: data, and an index
//
// The arrays of a manifest are those of the program, and then the private memory that fagus.Keep
// and KeepCopy name, each as an array of the elements of all ranks. What fagus.KeepEach names is an
// array in which rank r has the bytes from r<<40 on: their number in 8 bytes, and the bytes.
//
// A part begins with 8 bytes of magic. Data follow, in pieces of at most 1 MiB, and then the index:
// for each piece its array, its place in the array, its object and its place there, its length and
// its CRC-32C. Pieces that have not changed since an earlier checkpoint are where that one has put
// them: the index refers to its part. At the end are the names of these parts, and 32 bytes that
// say where the index is. All numbers are little-endian.
//
// A Keeper keeps the newest checkpoints (Config.Keep) and removes others when a new one is valid.
package checkpoint
