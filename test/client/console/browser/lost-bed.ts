// What the page does, on a server that does each thing once: on a real share what is dropped, the rest on
// samples.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Share } from '../../../../activities/share/share';
import type { ApartRow } from '../../../../client/console/contract/apart';
import type { JobRow } from '../../../../client/console/contract/jobs';
import type { SheetTold } from '../../../../client/console/contract/waiting';
import { createDrop } from '../../../../client/console/drop/drop-module';
import type { ConsoleDeps } from '../../../../client/console/serve/module';
import type { AnyModule } from '../../../../client/console/serve/server';
import { addSheetRoute, sendFile } from '../../../../client/console/serve/sheet-files';
import { createTestBed, type TestBed } from '../../../activities/share/share-test-bed';
import { openServer, type ServerBed } from '../serve/server-bed';
import { buildPage, toModule } from './browser-bed';
import { startChromium } from './chromium';
import { apartFakes, apartRow, SAMPLE_TYPE } from './sample-apart';
import { FINISHED, OPEN, sampleFakes, sampleRows } from './sample-jobs';
import { heldRow, reviewRow, SAMPLE_FIELDS, type WaitingSample, waitingFakes } from './sample-waiting';

export interface Action {
  readonly name: string;
  readonly path: string;
  /** Its request. */
  readonly asks: string;
  readonly method?: string;
  /** What is shown, and asked for anew. */
  readonly shows: string;
  readonly prepare: (page: Page) => Promise<void>;
  readonly press: (page: Page) => Promise<void>;
  /** After the words: once more, where there is something to press; and what is told in the end. */
  readonly again: (page: Page, wasDone: boolean) => Promise<void>;
  /** How often it was done. */
  readonly times: () => Promise<number> | number;
}

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
export const inDialog = (page: Page, name: string | RegExp) =>
  page.getByRole('dialog').getByRole('button', { name });

const ROWS = sampleRows(300);
const HELD = ROWS.find(({ key }) => key === 'row-9') as JobRow;
const JOBS = {
  open: OPEN,
  finished: FINISHED,
  rows: [{ ...HELD, outcome: 'held' }, ...ROWS.slice(9, 10)] as readonly JobRow[],
};
const READ_BEFORE = 'This sheet was read before, so that there was nothing to do.';

/** What lies where, at this moment of a test. */
export const lost = {
  waiting: { rows: [], answered: [], said: [] } as WaitingSample,
  apart: { rows: [] as readonly ApartRow[], asked: [] as unknown[] },
  /** Of those that were given: the rows of one go on once. */
  sheets: new Set<string>(),
  testsStarted: 0,
  mine: '',
  bed: undefined as unknown as TestBed,
  share: undefined as unknown as Share,
};

const takesSheets: AnyModule = {
  handlers: {},
  extend: (server, door) =>
    addSheetRoute(server, door, '/api/sheets/:share', async ({ bytes }) => {
      const text = bytes.toString();
      const isNew = !lost.sheets.has(text);
      lost.sheets.add(text);
      const path = 'attention/TR-0139/dropped-mine.csv';
      const told = isNew ? [] : [READ_BEFORE];
      return { job: 'b', jobName: 'TR-0139', path, taken: isNew ? 1 : 0, told, waits: null };
    }),
};

const HELD_SHEET: SheetTold = {
  rows: [{ share: 'tender', batchId: heldRow(0).batchId, index: 0, values: { status: 'A4' } }],
  refused: [],
  unlisted: 0,
  unread: [],
};
const bytes = Buffer.from('what comes');

/** What goes out as a file, and the sheet of what waits. */
const sendsFiles: AnyModule = {
  handlers: {},
  extend: (server, door) => {
    server.get('/api/receipts/:share/:job/sheet', (_asked, reply) =>
      sendFile(reply, { name: 'receipt.sheet', bytes }),
    );
    server.get('/api/proofs/:share/:job', (_asked, reply) => sendFile(reply, { name: 'proof.zip', bytes }));
    server.get('/api/waiting/sheet/:share', (_asked, reply) =>
      sendFile(reply, { name: 'waiting.xlsx', bytes }),
    );
    addSheetRoute(server, door, '/api/waiting/sheet/:share', async () => HELD_SHEET);
  },
};

const RUNNING = { describe: async () => ({ status: { name: 'RUNNING' } }), query: async () => undefined };
const temporal = {
  workflow: {
    start: async () => {
      lost.testsStarted += 1;
    },
    getHandle: () => RUNNING,
  },
};

interface LostBed {
  readonly server: ServerBed;
  readonly browser: Browser;
  readonly errors: string[];
  close(): Promise<void>;
}

async function openLostBed(): Promise<LostBed> {
  lost.mine = await mkdtemp(join(tmpdir(), 'mine-'));
  const deps: Partial<ConsoleDeps> = {
    temporal: async () => temporal as never,
    shares: () => [{ config: lost.bed.config, share: lost.share, why: undefined }],
    logger: { info: () => undefined, warn: () => undefined } as never,
    changed: () => undefined,
  };
  // Values of both: those of what waits, and those of what was set apart.
  const fields = { ...SAMPLE_FIELDS, fields: [...SAMPLE_FIELDS.fields.slice(1), SAMPLE_TYPE] };
  const fakes = toModule({
    ...waitingFakes(lost.waiting),
    ...sampleFakes(JOBS),
    ...apartFakes(lost.apart),
    'GET /api/fields/:share': () => fields,
  });
  const server = await openServer({
    page: buildPage(),
    modules: [fakes, takesSheets, sendsFiles, createDrop(deps as ConsoleDeps) as never],
  });
  const browser = await startChromium();
  return {
    server,
    browser,
    errors: [],
    close: async () => {
      await browser.close();
      await server.close();
      await rm(lost.mine, { recursive: true });
    },
  };
}

/** As if nothing had happened yet. */
async function beginAnew(): Promise<void> {
  Object.assign(lost.waiting, {
    rows: [heldRow(0), heldRow(1), heldRow(3), reviewRow(6)],
    answered: [],
    said: [],
  });
  Object.assign(lost.apart, { rows: [1, 2, 3].map(index => apartRow(index)), asked: [] });
  lost.testsStarted = 0;
  lost.sheets.clear();
  lost.bed = await createTestBed();
  lost.share = await lost.bed.open();
  const folder = join(lost.mine, 'TR-0143');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  await writeFile(join(folder, 'A-1.pdf'), 'a plan');
}

/** One for all tests of a file, each as if nothing had happened; ask for it in the test. */
export function useLostBed(): () => LostBed {
  let bed: LostBed;
  beforeAll(async () => {
    bed = await openLostBed();
  });
  afterAll(() => bed.close());
  beforeEach(beginAnew);
  afterEach(async () => {
    for (const context of bed.browser.contexts()) await context.close();
    await lost.bed.remove();
  });
  return () => bed;
}

export const inDrop = async () => (await readdir(join(lost.bed.root, 'drop'))).length;
export const countUploads = async () => (await lost.share.uploads.list()).length;
