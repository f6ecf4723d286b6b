// Whether the server kept up is told from its own log.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useTemporaryFolder } from '../setup/temporary-folder';
import { tellServerTroubles } from './server-troubles';

const folder = useTemporaryFolder();

const line = (level: string, msg: string, error?: string) => JSON.stringify({ level, msg, error });
const many = (count: number, text: string) => Array.from({ length: count }, () => text);

test('what a log repeats is told, the most frequent first; a few of a kind, warnings and other lines are not', () => {
  const file = join(folder(), 'temporal.log');
  const lines = [
    'CLI 1.5.1 (Server 1.29.1)',
    ...many(12, line('ERROR', 'Update failed.', 'context deadline exceeded')),
    ...many(30, line('ERROR', 'Fetch failed.', 'context deadline exceeded')),
    ...many(9, line('ERROR', 'UpdateNamespace: conditional update error')),
    ...many(50, line('WARN', 'Slow gRPC call')),
    '{"level":"ERR',
  ];
  writeFileSync(file, lines.join('\n'));
  expect(tellServerTroubles(file)).toEqual([
    'The Temporal server said 30 times: Fetch failed. context deadline exceeded',
    'The Temporal server said 12 times: Update failed. context deadline exceeded',
  ]);
});

test('nothing is told of a server that has no log', () => {
  expect(tellServerTroubles(join(folder(), 'none.log'))).toEqual([]);
});
