import { drain, warmUpAndHold } from "../drain/measure.mjs";

/** Drains a queue with many finished or future runs in the table, which should make no difference. */
export async function measure({ system, sink, n, seed, seeded }) {
  await warmUpAndHold(system, sink);
  if (seed) {
    const { rowCount } = await system.seed[seed](seeded);
    if (rowCount !== seeded) throw new Error(`${rowCount} rows were seeded instead of ${seeded}`);
  }
  return { seeded, ...(await drain({ system, sink, n })) };
}
