import { open as openMillrace } from "./millrace.mjs";

/** With a limit that is never reached, to measure the cost of counting. */
export const open = (options) => openMillrace({ ...options, limits: { max_concurrency: 1_000 } });
