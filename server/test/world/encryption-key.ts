/** Used by in-process services and by service processes: they may share a database, which accepts only one key. */
export const ENCRYPTION_KEY = "encryption-key-of-the-tests-0123456789";
