// A clean batch of 100 PDFs on the stand-in: requests per document, Temporal's
// cost, time against the rate limit.
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { Rig, type RigOptions } from '../setup/rig';
import { atMost, type Figure } from './figures';

const DOCUMENTS = 100;
/** The stand-in runs this much faster; the share's waits are scaled alike, so the proportions stay true. */
const SCALE = 20;
/**
 * Where time is the figure, our own work must not look 20 times slower than it is. A window then lasts
 * two whole seconds: a reset header can say nothing finer, and one that ended between two seconds
 * would be waited for to the next.
 */
const PACED_SCALE = 5;
const SPIKE_LIMIT = 25;
const SPIKE_WINDOW_S = 10;

interface BatchFigures {
  readonly requests: number;
  readonly limited: number;
  readonly wallMs: number;
  readonly events: number;
  readonly largestPayload: number;
}

export async function benchBatches(): Promise<Figure[]> {
  const bulk = await runBatch({ bulkRead: true, limits: null }, SCALE);
  const single = await runBatch({ bulkRead: false, limits: null }, SCALE);
  const unnamed = await runBatch({ bulkRead: false, limits: null }, SCALE, 'file');
  const limits = { hourly: 3_600, spike: SPIKE_LIMIT, spikeWindowSeconds: SPIKE_WINDOW_S };
  const paced = await runBatch({ bulkRead: true, limits }, PACED_SCALE);
  // The first window is free of waiting: the last request may go out when all windows before it are spent.
  const floorMs = ((paced.requests / SPIKE_LIMIT - 1) * SPIKE_WINDOW_S * 1_000) / PACED_SCALE;
  return [
    atMost('requests a document, 100 PDFs, bulk read', bulk.requests / DOCUMENTS, 3.15),
    atMost('requests a document, 100 PDFs, upload by upload', single.requests / DOCUMENTS, 5.15),
    atMost('the same where the service has our names already', unnamed.requests / DOCUMENTS, 4.15),
    atMost('history events, a clean batch of 100', bulk.events, 200, '', 0),
    atMost('largest payload, a clean batch of 100', bulk.largestPayload / 1_024, 64, ' KiB', 1),
    atMost('wall time over what the rate limit allows, one batch', paced.wallMs / floorMs, 1.5),
    atMost('429 answers, both windows, alone', paced.limited, 0, '', 0),
  ];
}

/**
 * @param documentName by default the product's own: a name that we give costs a
 * write a batch, and another look.
 */
async function runBatch(
  sandbox: NonNullable<RigOptions['sandbox']>,
  scale: number,
  documentName = 'stem',
): Promise<BatchFigures> {
  const rig = await Rig.start({
    sandbox: { timeScale: scale, ...sandbox },
    share: {
      settle: 100,
      batch: { quiet: 500 },
      documentName,
      analysis: {
        firstLook: 5_000 / SCALE,
        every: 8_000 / SCALE,
        typical: 28_000 / SCALE,
        for: 180_000 / SCALE,
      },
    },
  });
  try {
    await rig.startWatcher();
    await rig.startWorker();
    rig.dropFiles(
      Object.fromEntries(
        Array.from({ length: DOCUMENTS }, (_, index) => [`report-${index}.pdf`, `%PDF-1.7 ${index}`]),
      ),
    );
    await rig.untilSettled(DOCUMENTS);
    const answers = await rig.control.answers();
    const operations = (await rig.control.operations()).filter(({ route }) => isPaid(route));
    const times = operations.map(({ at }) => new Date(at).getTime());
    if (process.env.BENCH_VERBOSE !== undefined)
      process.stderr.write(`${JSON.stringify(await rig.control.requests())}\n`);
    const [handle] = rig.handles();
    if (handle === undefined) throw new Error('The batch left no run');
    const history = await handle.fetchHistory();
    return {
      requests: sum(
        Object.entries(await rig.control.requests()).flatMap(([route, count]) =>
          isPaid(route) ? [count] : [],
        ),
      ),
      limited: sum(Object.values(answers).map(byStatus => byStatus['429'] ?? 0)),
      wallMs: Math.max(...times) - Math.min(...times),
      events: history.events?.length ?? 0,
      largestPayload: findLargestPayload(historyToJSON(history)),
    };
  } finally {
    await rig.close();
  }
}

/** What counts against the rate limit: neither bytes to storage nor calls to the authentication host. */
function isPaid(route: string): boolean {
  return !route.startsWith('storage.') && !route.startsWith('oauth.');
}

function findLargestPayload(json: string): number {
  let largest = 0;
  for (const match of json.matchAll(/"data":\s*"([A-Za-z0-9+/=]+)"/g)) {
    largest = Math.max(largest, ((match[1] ?? '').length * 3) / 4);
  }
  return largest;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
