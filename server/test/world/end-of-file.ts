const atTheEnd: (() => Promise<void>)[] = [];

/**
 * Runs `clean` at the end of the test file. Can be called anywhere: `afterAll` only works while a file is collected,
 * but worlds are created in hooks.
 */
export function whenFileEnds(clean: () => Promise<void>): void {
  atTheEnd.push(clean);
}

export async function endFile(): Promise<void> {
  await Promise.all(atTheEnd.splice(0).map((clean) => clean()));
}
