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

/** Of a scenario of the soak suites: TEST_QUICK for trying it out, TEST_WHOLE_SIZE for all it can show. */
export function scenarioSize<T>({ quick, usual, whole }: { quick: T; usual: T; whole: T }): T {
  if (isWholeSize()) return whole;
  return process.env.TEST_QUICK === undefined ? usual : quick;
}
