// The `resume` command as an operator runs it against a rig: its words, and the number it ends with.
import { main } from '../../client/main';
import type { Rig } from './rig';

export interface Said {
  readonly code: number;
  readonly output: string;
}

let running = 0;

/** Two of them may run at once; the later one is then told what both say. */
export async function runResume(rig: Rig, configFile: string, args: readonly string[]): Promise<Said> {
  let output = '';
  const writing = jest.spyOn(process.stdout, 'write').mockImplementation(text => {
    output += String(text);
    return true;
  });
  process.env.TEMPORAL_ADDRESS = rig.temporal.address;
  process.env.TEMPORAL_NAMESPACE = rig.temporal.namespace;
  running += 1;
  try {
    const code = await main(['--config', configFile, 'resume', ...args], 'drawbridge');
    return { code, output };
  } finally {
    running -= 1;
    if (running === 0) {
      writing.mockRestore();
      process.exitCode = undefined;
      delete process.env.TEMPORAL_ADDRESS;
      delete process.env.TEMPORAL_NAMESPACE;
    }
  }
}
