// Loaded with `node --import`: the clock of this process is CLOCK_SHIFT_SECS ahead, or behind.
const shiftMs = Number(process.env.CLOCK_SHIFT_SECS) * 1_000;
const now = Date.now;
Date.now = () => now() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, given, self) => Reflect.construct(target, given.length === 0 ? [target.now()] : given, self),
});
