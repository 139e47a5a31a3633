const given = process.env.TEST_SEED;

/** The seed of a test file's random choices. Printed, so that TEST_SEED can repeat a failure. */
export function testSeed(name: string): number {
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
  if (!Number.isInteger(seed)) throw new Error(`TEST_SEED is not an integer: ${given}`);
  console.log(`${name} runs with TEST_SEED=${seed}`);
  return seed;
}

/** Numbers from 0 to 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
