import { fail } from "./ensure-installed.mjs";

// `prepack` of the source folders: they contain TypeScript that nobody else can run.
fail("This folder is source code. `npm run packages` in the repository builds and packs what is published.");
