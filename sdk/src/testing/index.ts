// biome-ignore-all lint/performance/noBarrelFile: the entry of the package is what its users import from
export { createTestServer, type TestServer, type TestServerOptions } from "./create-test-server.ts";
export type { RunFn } from "./run.ts";
export type { Span } from "./span.ts";
