import { renameSync, writeFileSync } from "node:fs";

// Imported into the service that is measured (`node --expose-gc --import`): on SIGUSR2 it writes what it holds once all
// garbage is collected. What is resident says when V8 gave memory back, and hardly how much is in use.
const told = process.env.BENCH_MEMORY_FILE;

process.on("SIGUSR2", () => {
  gc();
  gc(); // what the first has let go of may have held more
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(`${told}.new`, String(heapUsed + external));
  renameSync(`${told}.new`, told);
});
