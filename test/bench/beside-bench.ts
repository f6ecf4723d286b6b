// A folder of 20 files that is dropped behind one of 5,000: how much of the large one is through when the
// small one has its receipt. Told in documents, so that a slow machine is not unfair.
import { setTimeout as delay } from 'node:timers/promises';
import { Rig } from '../setup/rig';
import { atMost, type Figure, forInformation } from './figures';

const LARGE = 5_000;
const SMALL = 20;
const PATIENCE_MS = 30 * 60_000;

export async function benchBeside(): Promise<Figure[]> {
  const rig = await Rig.start({ share: { batch: { quiet: 1_000 } } });
  try {
    await rig.startWorker();
    rig.dropFiles(folderOf('Large', LARGE));
    await rig.startWatcher();
    await until(() => rig.filesIn('drop').length < LARGE);
    const begun = performance.now();
    rig.dropFiles(folderOf('Small', SMALL));
    const count = (top: string) => rig.filesIn('done').filter(path => path.startsWith(`${top}/`)).length;
    await until(() => rig.receipts().some(({ files }) => files[0]?.path.startsWith('Small/')));
    const tookS = (performance.now() - begun) / 1_000;
    const through = count('Large');
    return [
      atMost(
        `of ${LARGE} files that came first, through when ${SMALL} have their receipt`,
        through,
        1_500,
        '',
        0,
      ),
      forInformation('the same, from their drop to the receipt', tookS, 's', 1),
    ];
  } finally {
    await rig.close();
  }
}

function folderOf(name: string, files: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: files }, (_, at) => [`${name}/${name} ${at}.pdf`, `%PDF ${name} ${at}`]),
  );
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error('It takes more than half an hour.');
    await delay(200);
  }
}
