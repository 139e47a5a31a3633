import { useSyncExternalStore } from "react";

/** Whether a media query matches: `(width < 40rem)`. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const media = matchMedia(query);
      media.addEventListener("change", onChange);
      return () => media.removeEventListener("change", onChange);
    },
    () => matchMedia(query).matches,
  );
}

export const NARROW = "(width < 40rem)";
