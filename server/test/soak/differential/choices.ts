import { randomFrom } from "../../seed/seed.ts";

export type Choices = {
  chance: (share: number) => boolean;
  upTo: (max: number) => number;
  one: <T>(of: readonly T[]) => T;
  /** One of the entries, in proportion to their weights. */
  weighted: <T>(of: readonly (readonly [number, T])[]) => T;
  /** Rises with each call: makes payloads and keys distinct. */
  next: () => number;
};

export function choicesFrom(seed: number): Choices {
  const random = randomFrom(seed);
  let count = 0;
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  return {
    one,
    chance: (share) => random() < share,
    upTo: (max) => Math.floor(random() * (max + 1)),
    weighted: (of) => {
      let left = random() * of.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, value] of of) {
        left -= weight;
        if (left < 0) return value;
      }
      return (of[0] as readonly [number, never])[1];
    },
    next: () => ++count,
  };
}
