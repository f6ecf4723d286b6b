/**
 * What a thread loads before files of ours: nothing in the compiled product, a compiler in tests
 * (jest.config.js).
 */
export const THREAD_PRELOADS: readonly string[] = [];
