/** Style of stale content that is about to be replaced. Delayed by 200 ms, like skeletons. */
export const STALE = "opacity-60 transition-opacity delay-200";
