import { isWholeSize } from "./size.ts";

/** How often a test repeats a race: a few times in `npm test`, ten times as often in the soak suite `races`. */
export function rounds(few: number): number {
  return isWholeSize() ? few * 10 : few;
}
