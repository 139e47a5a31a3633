import { drain, warmUpAndHold } from "../drain/measure.mjs";

/** The drain again, beside many runs that are finished or not due: it should not notice them. */
export async function measure({ system, sink, n, seed, seeded }) {
  await warmUpAndHold(system, sink);
  if (seed) {
    const { rowCount } = await system.seed[seed](seeded);
    if (rowCount !== seeded) throw new Error(`${rowCount} rows were seeded instead of ${seeded}`);
  }
  return { seeded, ...(await drain({ system, sink, n })) };
}
