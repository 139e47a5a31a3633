/** Keys that switch to an environment: `e 1` for the first of the environment menu. */
export const environmentKeys = (nth: number) => `e ${nth + 1}`;
