import { afterAll } from "vitest";
import { endFile } from "./end-of-file.ts";

// Setup file: runs before every test file.
afterAll(endFile);
