import { useCallback, useState } from "react";

export type RunSelection = {
  selection: ReadonlySet<string>;
  /** True: all matching runs are selected. */
  isAll: boolean;
  setAll: (isAll: boolean) => void;
  select: (selection: ReadonlySet<string>) => void;
  clear: () => void;
};

const NOTHING: ReadonlySet<string> = new Set();

/** The runs selected for a bulk action. */
export function useRunSelection(): RunSelection {
  const [selection, setSelection] = useState(NOTHING);
  const [isAll, setAll] = useState(false);
  const select = useCallback((next: ReadonlySet<string>) => {
    setSelection(next);
    setAll(false);
  }, []);
  const clear = useCallback(() => select(NOTHING), [select]);
  return { selection, isAll, setAll, select, clear };
}
