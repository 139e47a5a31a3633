#!/usr/bin/env node
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle } from "./build-server.mjs";
import { ensureInstalled, root } from "./ensure-installed.mjs";

// `npm run rotate-encryption-key`: re-encrypts all data with the first value of ENCRYPTION_KEY. See
// docs/operate/operations.md.
await ensureInstalled();
const name = "rotate-encryption-key";
const file = await bundle(join(root, "server", "src", `${name}.ts`), join(root, "server", "dist", `${name}.js`));
await import(pathToFileURL(file).href);
