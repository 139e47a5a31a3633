import { type RefObject, useRef } from "react";

/** What was last given, for callbacks that must stay the same thing. */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  latest.current = value;
  return latest;
}
