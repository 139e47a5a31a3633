const MOST_AT_ONCE = 2;

let busy = 0;
const waiting: (() => void)[] = [];

/** Small reads one after the other, so that those of the page itself come first. */
export async function inLine<T>(read: () => Promise<T>): Promise<T> {
  if (busy >= MOST_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else busy += 1;
  try {
    return await read();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else busy -= 1;
  }
}
