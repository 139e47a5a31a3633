/**
 * Tests that start the service, PostgreSQL or a build as processes of their own. They take a third as long as all others
 * together, so they run with `npm run test:soak -- service`, a stage of CI, and with `npm test` where they are named.
 */
export const PROCESS_TESTS = [
  "cli/test/dev.test.ts",
  "examples/",
  "sdk/src/testing/",
  "sdk/test/build.test.ts",
  "server/src/platform/embedded-postgres/",
  "server/test/openapi/",
  "server/test/service/",
];

/** As patterns of test files. */
export const PROCESS_TEST_FILES = PROCESS_TESTS.map((path) => (path.endsWith("/") ? `${path}**/*.test.ts` : path));
