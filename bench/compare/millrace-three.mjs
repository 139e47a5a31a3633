import { open as openMillrace } from "./millrace.mjs";

/** Three instances on one database; the clients' requests go to each in turn. */
export const open = (options) => openMillrace({ ...options, instances: 3 });
