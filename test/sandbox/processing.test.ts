/** What the service does by itself: analysis of PDFs, and file names read by a naming standard. */
import { DEFAULT_PROJECTS } from './defaults';
import { shareOf } from './identifiers';
import { RawClient } from './raw-client';

let client: RawClient;

beforeAll(async () => {
  client = await RawClient.start();
});

beforeEach(async () => {
  await client.control.reset();
  await client.signIn();
  client.project = DEFAULT_PROJECTS.plain;
});

afterAll(() => client.close());

type Field = { name: string; values: { label: string }[]; label_source: string; confidence_score?: number };

const statuses = async (id: string) => (await client.show(id)).json.data.integration_statuses;
const field = async (id: string, name: string): Promise<Field> =>
  (await client.show(id)).json.data.fields.find((one: Field) => one.name === name);
const analysed = (id: string) => client.until(async () => (await statuses(id)).ml !== 'in_progress');

describe('the analysis of a PDF', () => {
  test('takes its time, then fills what is empty, and moves the event id', async () => {
    await client.control.configure({ analysisMs: [200_000, 200_000] });
    const id = await client.completeUpload('HB-DWG-12.pdf');
    const before = (await client.show(id)).json.data;
    expect(before.integration_statuses.ml).toBe('in_progress');
    await analysed(id);
    const after = (await client.show(id)).json.data;
    expect(after.integration_statuses.ml).toBe('completed');
    expect(after.latest_event_id).not.toBe(before.latest_event_id);
    expect(await field(id, 'type')).toMatchObject({
      values: [{ label: 'Drawing' }],
      label_source: 'ML',
      confidence_score: 0.9,
    });
    expect((await field(id, 'revision')).values).toEqual([{ label: 'A' }]);
    expect((await field(id, 'status')).label_source).toBe('NONE');
  });

  test('never overwrites what somebody set', async () => {
    const report = await client.valueId('type', 'RPT');
    const id = await client.completeUpload('HB-DWG-12.pdf', { type: [report], revision: ['C'] });
    await analysed(id);
    expect(await field(id, 'type')).toMatchObject({ values: [{ label: 'Report' }], label_source: 'MANUAL' });
    expect((await field(id, 'revision')).values).toEqual([{ label: 'C' }]);
    expect((await field(id, 'number')).label_source).toBe('ML');
  });

  test('an event id read before its end is stale', async () => {
    await client.control.configure({ analysisMs: [100_000, 100_000] });
    const id = await client.readyUpload('a.pdf');
    const early = (await client.show(id)).json.data.latest_event_id;
    await analysed(id);
    const answer = await client.submit({ id, upload_latest_event_id: early });
    expect(answer.json.data.failures[0].reason_code).toBe('CONCURRENCY_CONFLICT');
  });

  test('lasts as long as seed and file name say', async () => {
    const names = Array.from({ length: 200 }, (_, n) => `${n}.pdf`).sort(
      (a, b) => shareOf(7, a) - shareOf(7, b),
    );
    await client.control.configure({ seed: 7, analysisMs: [0, 10_000_000] });
    const [shortest = '', longest = ''] = [names[0], names.at(-1)];
    expect(shareOf(7, longest)).toBeGreaterThan(shareOf(7, shortest) + 0.5);
    const ids = [await client.completeUpload(longest), await client.completeUpload(shortest)];
    await client.control.configure({ timeScale: 1 });
    await client.until(async () => (await statuses(ids[1]!)).ml === 'completed');
    expect((await statuses(ids[0]!)).ml).toBe('in_progress');
  });

  test('can be ordered to end in error, filling nothing', async () => {
    await client.control.addFault({
      route: 'analysis',
      match: { fileName: 'a.pdf' },
      action: { kind: 'analysis-error' },
    });
    const id = await client.completeUpload('a.pdf');
    await analysed(id);
    expect((await statuses(id)).ml).toBe('error');
    expect((await field(id, 'type')).values).toEqual([]);
  });

  test('can be ordered never to end', async () => {
    await client.control.configure({ analysisMs: [0, 0] });
    await client.control.addFault({
      route: 'analysis',
      match: { fileName: 'a.pdf' },
      action: { kind: 'analysis-never' },
    });
    const [never, other] = [await client.completeUpload('a.pdf'), await client.completeUpload('b.pdf')];
    await analysed(other);
    expect((await statuses(never)).ml).toBe('in_progress');
  });

  test('does not concern other files', async () => {
    expect((await statuses(await client.completeUpload('a.dwg'))).ml).toBe('not_applicable');
  });
});

describe('a naming standard', () => {
  beforeEach(() => {
    client.project = DEFAULT_PROJECTS.namingStandard;
  });

  const scraped = (id: string) =>
    client.until(async () => (await statuses(id)).filename_scraping !== 'in_progress');

  test('fills fields from the file name and computes the name without the revision', async () => {
    const id = await client.completeUpload('SH-ALD-DWG-0042-C.dwg');
    await scraped(id);
    expect((await statuses(id)).filename_scraping).toBe('completed');
    expect(await field(id, 'originator')).toMatchObject({
      values: [{ label: 'Alder Engineering' }],
      label_source: 'FILENAME_SCRAPING',
    });
    expect((await field(id, 'number')).values).toEqual([{ label: '0042' }]);
    expect((await field(id, 'revision')).values).toEqual([{ label: 'C' }]);
    expect((await field(id, 'name')).values).toEqual([{ label: 'SH-ALD-DWG-0042' }]);
  });

  test('leaves what the client set', async () => {
    const id = await client.completeUpload('SH-ALD-DWG-0042-C.dwg', { name: ['mine'], revision: ['Z'] });
    await scraped(id);
    expect((await field(id, 'name')).values).toEqual([{ label: 'mine' }]);
    expect((await field(id, 'revision')).values).toEqual([{ label: 'Z' }]);
  });

  test('an inactive or unknown code is SCRAPING_FAILED', async () => {
    const id = await client.completeUpload('SH-ELM-DWG-0042-C.dwg');
    await scraped(id);
    expect((await statuses(id)).filename_scraping).toBe('error');
    expect(await field(id, 'originator')).toMatchObject({ values: [], label_source: 'SCRAPING_FAILED' });
  });

  test('a file name that does not follow it ends in error and has to be named', async () => {
    await client.control.configure({ nameSource: 'must-be-set' });
    const id = await client.completeUpload('holiday photo.dwg');
    await scraped(id);
    expect((await statuses(id)).filename_scraping).toBe('error');
    expect((await field(id, 'name')).values).toEqual([]);
  });
});
