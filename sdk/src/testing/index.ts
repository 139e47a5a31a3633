// biome-ignore-all lint/performance/noBarrelFile: the package's public entry point
export { createTestServer, type TestServer, type TestServerOptions } from "./create-test-server.ts";
export type { RunFn } from "./run.ts";
export type { Span } from "./span.ts";
