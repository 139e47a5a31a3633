type Traced = { captureStackTrace?: (target: object, callee: (...args: never[]) => unknown) => void };

/** `file:line:column` of the code that called `callee`. Undefined where the runtime cannot cut off a stack. */
export function callerPlace(callee: (...args: never[]) => unknown): string | undefined {
  const holder: { stack?: string } = {};
  (Error as Traced).captureStackTrace?.(holder, callee);
  const frame = holder.stack?.split("\n")[1] ?? "";
  return /(?:\(|at (?:async )?)([^()]+:\d+:\d+)\)?$/.exec(frame)?.[1];
}
