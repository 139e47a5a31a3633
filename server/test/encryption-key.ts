/** Of services within the tests and of those that are processes: they may share a database, which takes one key alone. */
export const ENCRYPTION_KEY = "encryption-key-of-the-tests-0123456789";
