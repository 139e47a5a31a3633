import { firstIdAt, newId } from "../../src/platform/ids.ts";

/** Shared by all files of a worker: it must not restart between two ids of one test. */
let made = 0;

/** An id as if generated at that time, greater than all earlier ones for the same time. */
export function idAt(created_at: string): string {
  const nth = (++made % 2 ** 24).toString(16).padStart(6, "0");
  const [high, low] = [nth.slice(0, 3), nth.slice(3)];
  return firstIdAt(Date.parse(created_at)).replace(
    "-7000-8000-000000000000",
    `-7${high}-8${low}-${newId().slice(-12)}`,
  );
}
