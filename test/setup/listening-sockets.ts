// Which addresses a process listens on, as the system has it (Linux).
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface ListeningSocket {
  readonly address: string;
  readonly port: number;
}

/** Every TCP socket that the process listens on, over both versions of IP. */
export function listeningSocketsOf(pid: number): readonly ListeningSocket[] {
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap(fd => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap(table =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .flatMap(line => {
        const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
        return state === '0A' && own.has(inode) ? [toSocket(local)] : [];
      }),
  );
}

function toSocket(text: string): ListeningSocket {
  const [host = '', port = ''] = text.split(':');
  const bytes = Buffer.from(host, 'hex');
  const address = host.length === 8 ? [...bytes].reverse().join('.') : host;
  return { address, port: Number.parseInt(port, 16) };
}
