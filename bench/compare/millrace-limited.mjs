import { open as openMillrace } from "./millrace.mjs";

/** With a limit that never binds: what it costs to count under it. */
export const open = (options) => openMillrace({ ...options, limits: { max_concurrency: 1_000 } });
