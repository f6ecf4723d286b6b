// Whether a dropped file joins the document that is there already: what `check`
// foretells, and what then happens.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { main } from '../../client/main';
import { answerUpdate } from '../../workflows/ingest/answer-contract';
import { progressQuery } from '../../workflows/ingest/ingest-contract';
import { DEFAULT_CREDENTIALS, DEFAULT_PROJECTS } from '../sandbox/defaults';
import { Rig } from '../setup/rig';
import { expectNoRemark } from './agreement';

jest.setTimeout(120_000);

let rig: Rig;
beforeEach(() => {
  process.env.DRAWBRIDGE_CLIENT_SECRET = DEFAULT_CREDENTIALS.clientSecret;
});
afterEach(async () => {
  delete process.env.DRAWBRIDGE_CLIENT_SECRET;
  process.exitCode = undefined;
  await rig.close();
});

interface Foretold {
  readonly files: readonly {
    readonly path: string;
    readonly name: string | null;
    readonly matches: string | null;
  }[];
}

/** What `check` says, which asks the service for its rules and changes nothing there. */
async function check(...args: string[]): Promise<Foretold> {
  let output = '';
  const write = jest.spyOn(process.stdout, 'write').mockImplementation(text => {
    output += String(text);
    return true;
  });
  try {
    const code = await main(
      ['--config', join(rig.folder, 'drawbridge.json'), 'check', '--json', ...args],
      'x',
    );
    expect(code).toBe(0);
  } finally {
    write.mockRestore();
  }
  const routes = Object.keys(await rig.control.requests());
  expect(routes.filter(route => !/\.list$|^oauth\.token$/.test(route))).toEqual([]);
  return JSON.parse(output) as Foretold;
}

/** The document `W-001` exists; `W-001.pdf` is dropped. */
async function drop(share: Record<string, unknown>, existing = 'W-001') {
  rig = await Rig.start({ share });
  await rig.control.edit(DEFAULT_PROJECTS.plain, { kind: 'add-revision', name: existing, revision: '0' });
  const [foretold] = (await check('W-001.pdf')).files;
  await rig.startWatcher();
  await rig.startWorker();
  rig.dropFiles({ 'W-001.pdf': 'the next revision, or another document' });
  await rig.untilSettled(1);
  const [before, after, ...more] = await rig.control.revisions();
  expect(more).toEqual([]);
  await expectNoRemark(rig.control);
  return { foretold, before, after, isNext: after?.containerId === before?.containerId };
}

test.each([
  ['stem', 'W-001', true],
  ['file', 'W-001.pdf', false],
])(
  'documentName %s: W-001.pdf is called %s; the next revision of W-001: %s',
  async (documentName, name, isNext) => {
    const { foretold, after, ...found } = await drop({ documentName });
    expect(foretold).toMatchObject({ name, matches: `${name}|application/pdf`, nameFrom: 'documentName' });
    expect(after).toMatchObject({ name, version: isNext ? 2 : 1 });
    expect(found.isNext).toBe(isNext);
  },
);

test('documentName service: the name is left to the service, and check does not guess it', async () => {
  const { foretold, after, isNext } = await drop({ documentName: 'service' });
  expect(foretold).toMatchObject({ name: null, matches: null, nameFrom: 'service' });
  // What the stand-in calls an upload by itself.
  expect(after).toMatchObject({ name: 'W-001.pdf', version: 1 });
  expect(isNext).toBe(false);
});

test('a document that is called by its whole file name is joined with documentName file', async () => {
  const { after, isNext } = await drop({ documentName: 'file' }, 'W-001.pdf');
  expect(after).toMatchObject({ name: 'W-001.pdf', version: 2 });
  expect(isNext).toBe(true);
});

async function untilBegun(): Promise<string> {
  for (;;) {
    const query = `WorkflowType = 'ingestBatchWorkflow'`;
    for await (const { workflowId } of rig.temporal.client.workflow.list({ query })) return workflowId;
    await delay(100);
  }
}

test('a Name that is answered for a document that we have named already is the one that it gets', async () => {
  rig = await Rig.start({ share: { documentName: 'stem' } });
  const { plain } = DEFAULT_PROJECTS;
  await rig.control.edit(plain, { kind: 'add-revision', name: 'W-001', revision: '0' });
  await rig.control.edit(plain, { kind: 'add-revision', name: 'scan 1', revision: '0' });
  await rig.control.edit(plain, { kind: 'start-workflow', name: 'scan 1', workflow: 'Design review' });
  await rig.startWatcher();
  await rig.startWorker();
  rig.dropFiles({ 'scan 1.pdf': 'a scan of sheet W-001' });
  const handle = rig.temporal.client.workflow.getHandle(await untilBegun());
  while ((await handle.query(progressQuery)).held.length === 0) await delay(100);
  await handle.executeUpdate(answerUpdate, { args: [{ document: 0, values: { Name: 'W-001' } }] });
  await rig.untilSettled(1);
  const submitted = (await rig.control.revisions()).filter(({ uploadId }) => uploadId !== null);
  expect(submitted).toMatchObject([{ name: 'W-001', version: 2 }]);
  await expectNoRemark(rig.control);
});
