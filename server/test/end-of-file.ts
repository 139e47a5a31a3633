const atTheEnd: (() => Promise<void>)[] = [];

/**
 * Runs `clean` when the test file is over, wherever it is called: `afterAll` is heard only while a file is being read,
 * and a world is made in its hooks.
 */
export function whenFileEnds(clean: () => Promise<void>): void {
  atTheEnd.push(clean);
}

export async function endFile(): Promise<void> {
  await Promise.all(atTheEnd.splice(0).map((clean) => clean()));
}
