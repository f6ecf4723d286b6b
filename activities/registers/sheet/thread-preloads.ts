/** What a thread loads before files of ours: nothing, where they are compiled. Tests run the sources. */
export const THREAD_PRELOADS: readonly string[] = [];
