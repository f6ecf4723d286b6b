// Whether a share answers, found out without risking a thread of ours: a mount that hangs would keep
// it for ever. The look is taken by a child process with an empty environment, which is left to its
// fate when it does not come back.
import { spawn } from 'node:child_process';
import { troubleOfCode } from '../../host/file-trouble';

export type Reachability =
  | { readonly kind: 'reachable' }
  /** The root is not there: removed, or not mounted. */
  | { readonly kind: 'missing' }
  /** Nothing came in time: the mount hangs. */
  | { readonly kind: 'hung' }
  | { readonly kind: 'failing'; readonly code: string };

const PROBE = `
const fs = require('node:fs');
try {
  fs.statSync(process.argv[1]);
  fs.readdirSync(process.argv[1]);
  process.stdout.write('reachable');
} catch (error) {
  process.stdout.write(String(error.code));
}`;

/** Costs a process start (some 40 ms): for doubt, not for every look. */
export async function probeShare(root: string, timeoutMs = 5_000): Promise<Reachability> {
  return await new Promise(resolve => {
    const child = spawn(process.execPath, ['-e', PROBE, root], {
      env: {},
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let reply = '';
    const finish = (result: Reachability) => {
      clearTimeout(timer);
      // A process stuck in the kernel cannot be killed, nor may it keep us.
      child.kill('SIGKILL');
      child.stdout.destroy();
      child.unref();
      resolve(result);
    };
    const timer = setTimeout(() => finish({ kind: 'hung' }), timeoutMs);
    child.stdout.setEncoding('utf8').on('data', text => {
      reply += text;
    });
    child.once('error', () => finish({ kind: 'failing', code: 'SPAWN' }));
    child.once('close', () => finish(toReachability(reply)));
  });
}

function toReachability(reply: string): Reachability {
  if (reply === 'reachable') return { kind: 'reachable' };
  const trouble = troubleOfCode(reply);
  if (trouble === 'gone' || trouble === 'no-folder') return { kind: 'missing' };
  return { kind: 'failing', code: reply === '' ? 'UNKNOWN' : reply };
}
