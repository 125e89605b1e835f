// Package checkpoint keeps checkpoints of Fagus programs in a directory, or in any other Store.
//
//	store, err := checkpoint.OpenDirectory("/scratch/job7")
//	cfg.Checkpoints = checkpoint.New(checkpoint.Config{Store: store, Every: 30 * time.Second})
//	report, err := fagus.Run(ctx, cfg, program)   // program calls Node.Resume and Node.Steps
//
// # What is promised
//
// A checkpoint is valid as a whole or not at all, whenever a rank, the host or its power fails. The
// ranks write parts, and all parts are durable before the manifest that names them is written.
// Checksums tell when a part or a manifest is torn, missing, exchanged or changed. Then the
// previous checkpoint is used, and never wrong data. Checksums are CRC-32C: they find accidents,
// not forgeries.
//
// # Objects
//
// A checkpoint with the number 7 has these objects in its Store. Each is written once and appears
// as a whole. No number is used twice, and if two jobs write the same object, one of them fails:
//
//	c00000007.manifest    JSON, and a line with its checksum: state, loop, input, arrays, parts
//	c00000007-00003.part  what rank 3 owned: data, and an index
//
// The arrays of a manifest are first the program's arrays. Then comes the private memory that
// fagus.Keep and KeepCopy name, each as an array of the elements of all ranks. Memory named by
// fagus.KeepEach is an array in which the bytes of rank r begin at r<<40: their number in 8 bytes,
// and the bytes.
//
// A part begins with 8 bytes of magic. Data follow, in pieces of at most 1 MiB, and then the
// index: for each piece its array, its offset in the array, its object and its offset there, its
// length and its CRC-32C. A piece that has not changed since an earlier checkpoint is not written
// again: the index refers to the part of that checkpoint. At the end are the names of these parts,
// and 32 bytes that say where the index is. All numbers are little-endian.
//
// A Keeper keeps the newest checkpoints (Config.Keep), and removes others when a new one is valid.
package checkpoint
