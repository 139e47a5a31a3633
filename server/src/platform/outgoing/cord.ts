/**
 * A cord to pull: ends an exchange before its time. Lighter than an AbortController, of which every dispatch would
 * need one of its own (10 of its 100 µs).
 */
export type Cord = { isPulled: boolean; onPull: (() => void) | undefined };

export function newCord(): Cord {
  return { isPulled: false, onPull: undefined };
}

export function pullCord(cord: Cord): void {
  cord.isPulled = true;
  cord.onPull?.();
}
