import { measure as drain } from "../drain/measure.mjs";
import { measure as through } from "../through/measure.mjs";

const MEASURES = { drain, through };

/** The benchmarks `drain` and `through`, with a worker where the system has one. */
export function measure({ of, ...given }) {
  return MEASURES[of](given);
}
