import { renameSync, writeFileSync } from "node:fs";

// Loaded into the measured service (`node --expose-gc --import`): on SIGUSR2 it writes its memory usage after garbage
// collection. Resident memory depends on when V8 returns it, not on how much is in use.
const file = process.env.BENCH_MEMORY_FILE;

process.on("SIGUSR2", () => {
  gc();
  gc(); // objects freed by the first pass may have held more
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(`${file}.new`, String(heapUsed + external));
  renameSync(`${file}.new`, file);
});
