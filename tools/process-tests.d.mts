export const PROCESS_TESTS: string[];
export const PROCESS_TEST_FILES: string[];
