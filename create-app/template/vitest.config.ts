import { defineConfig } from "vitest/config";

/** The first test on a machine unpacks PostgreSQL and creates a database. */
export default defineConfig({ test: { testTimeout: 60_000, hookTimeout: 120_000 } });
