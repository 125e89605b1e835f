// The operations barrier and meet of a library whose wait_for_all is defined before: a call through
// a pointer, or into another file, would be measured, too.
uint64_t barrier(long size, long count)
{
	(void)size;
	uint64_t start = now();
	for (long i = 0; i < count; i++)
		wait_for_all();
	return now() - start;
}

// meet computes size steps and waits for all ranks.
uint64_t meet(long size, long count)
{
	volatile uint64_t kept;
	uint64_t start = now();
	for (long i = 0; i < count; i++) {
		kept = compute(size);
		wait_for_all();
	}
	(void)kept;
	return now() - start;
}
