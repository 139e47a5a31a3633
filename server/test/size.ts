/**
 * How many of something a test makes: the first in `npm test`, the second in the soak suite `whole-size`, which runs the same
 * test files with TEST_WHOLE_SIZE.
 */
export function sizeOf(usual: number, whole: number): number {
  return isWholeSize() ? whole : usual;
}

export function isWholeSize(): boolean {
  return process.env.TEST_WHOLE_SIZE !== undefined;
}
