// What a command prints, for tests that call it in their own process.

export interface Printed {
  /** On both streams, since the test began or `clear`. */
  readonly text: string;
  clear(): void;
  /** Resolves when more is printed. */
  more(): Promise<void>;
}

/** Call it at the level of the file. After each test the streams and the exit code are as before. */
export function usePrinted(): Printed {
  let text = '';
  let waiting: (() => void)[] = [];
  beforeEach(() => {
    text = '';
    waiting = [];
    for (const stream of [process.stdout, process.stderr]) {
      jest.spyOn(stream, 'write').mockImplementation(chunk => {
        text += String(chunk);
        for (const wake of waiting.splice(0)) wake();
        return true;
      });
    }
  });
  afterEach(() => {
    jest.restoreAllMocks();
    process.exitCode = undefined;
  });
  return {
    get text() {
      return text;
    },
    clear() {
      text = '';
    },
    more: async () => await new Promise<void>(resolve => waiting.push(resolve)),
  };
}
