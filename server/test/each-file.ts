import { afterAll } from "vitest";
import { endFile } from "./end-of-file.ts";

// Runs before every test file.
afterAll(endFile);
