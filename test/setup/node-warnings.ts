// What Node itself warns of while a test runs. It speaks to its own `process`: the one that tests see is
// jest's copy, which hears nothing of it.

declare const loadByNode: (name: string) => unknown;

/** Call it at the level of a describe or of the file; the answer is what was heard in the running test. */
export function useNodeWarnings(): () => readonly string[] {
  const node = loadByNode('node:process') as NodeJS.Process;
  let heard: string[] = [];
  const listen = ({ message }: Error): void => void heard.push(message);
  beforeEach(() => {
    heard = [];
    node.on('warning', listen);
  });
  afterEach(() => void node.off('warning', listen));
  return () => heard;
}
