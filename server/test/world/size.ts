/**
 * A test's quantity: the first in `npm test`, the second in the soak suite `whole-size`, which runs the same test files
 * with TEST_WHOLE_SIZE.
 */
export function sizeOf(usual: number, whole: number): number {
  return isWholeSize() ? whole : usual;
}

export function isWholeSize(): boolean {
  return process.env.TEST_WHOLE_SIZE !== undefined;
}

/** For scenarios of the soak suites: TEST_QUICK for a short trial, TEST_WHOLE_SIZE for the full size. */
export function scenarioSize<T>({ quick, usual, whole }: { quick: T; usual: T; whole: T }): T {
  if (isWholeSize()) return whole;
  return process.env.TEST_QUICK === undefined ? usual : quick;
}
