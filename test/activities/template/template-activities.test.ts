// The template on a share, by the fields of a project of the stand-in.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { writeXlsx } from 'hucre/xlsx';
import { systemClock } from '../../../activities/host/clock';
import { decidePlans } from '../../../activities/ingest/plan-documents';
import { ProjectLookups } from '../../../activities/ingest/project-lookups';
import { cellAt } from '../../../activities/registers/sheet/grid';
import { readSheet } from '../../../activities/registers/sheet/read-sheet';
import type { Share } from '../../../activities/share/share';
import { createTemplateActivities } from '../../../activities/template/template-activities';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import { useSandboxClient } from '../../setup/sandbox-client';
import { createTestBed, POLICY, type TestBed } from '../share/share-test-bed';

jest.mock<typeof import('hucre/xlsx')>('hucre/xlsx', () => {
  const actual = jest.requireActual<typeof import('hucre/xlsx')>('hucre/xlsx');
  return { ...actual, writeXlsx: jest.fn(actual.writeXlsx) };
});

const project = { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain };
const sandbox = useSandboxClient();
let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});
afterEach(async () => {
  await bed.remove();
});

async function open(defaults: Readonly<Record<string, string>> = {}): Promise<Share> {
  const register = { template: 'template.xlsx' };
  return await bed.open({ project, register, policy: { ...POLICY, defaults } });
}

async function keep(share: Share, lookups = new ProjectLookups(sandbox().client)): Promise<string> {
  const draining = new AbortController().signal;
  const { keepTemplate } = createTemplateActivities({ share, lookups, draining });
  const run = () => keepTemplate({ share: 'tender' });
  return ((await new MockActivityEnvironment().run(run)) as Awaited<ReturnType<typeof run>>).template;
}

/** Requests by route, for they are counted so: `GET /path`. */
async function requests(): Promise<Readonly<Record<string, number>>> {
  return await sandbox().control.requests();
}

test('it has the columns of the project; a look that finds it fresh asks for nothing', async () => {
  const share = await open();
  expect(await keep(share)).toBe('written');
  const { 'oauth.token': _token, ...asked } = await requests();
  // One for each list, and one for the people: docs/decisions.md says so.
  expect(asked).toEqual({
    'requirements.list': 1,
    'fields.list': 1,
    'field-values.list': 9,
    'users.list': 1,
  });
  const sheet = await readSheet(await readFile(join(bed.root, 'template.xlsx')), 'template.xlsx');
  const data = sheet.grids.find(({ name }) => name === 'Data');
  expect(data && cellAt(data, 1, 0)).toMatchObject({ text: 'File' });
  expect(await keep(share)).toBe('fresh');
  expect(await requests()).toMatchObject(asked);
});

test('templates of many shares are made one at a time; one that cannot be made holds up none', async () => {
  const beds = [bed, ...(await Promise.all(Array.from({ length: 3 }, () => createTestBed())))];
  try {
    let underway = 0;
    const seen: number[] = [];
    for (const at of beds.keys())
      jest.mocked(writeXlsx).mockImplementationOnce(async () => {
        underway += 1;
        await new Promise(setImmediate);
        seen.push(underway);
        underway -= 1;
        if (at === 1) throw new Error('It cannot be made');
        return new Uint8Array([at]);
      });
    const lookups = new ProjectLookups(sandbox().client);
    const register = { template: 'template.xlsx' };
    const ends = await Promise.allSettled(
      beds.map(async one => await keep(await one.open({ project, register, policy: POLICY }), lookups)),
    );
    expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(ends.filter(end => end.status === 'fulfilled' && end.value === 'written')).toHaveLength(3);
    expect(seen).toEqual([1, 1, 1, 1]);
  } finally {
    for (const one of beds.slice(1)) await one.remove();
  }
});

test('the fields are kept with their lists for those who cannot ask; what is a moment old is not asked again', async () => {
  const share = await open();
  const lookups = new ProjectLookups(sandbox().client);
  const draining = new AbortController().signal;
  const { keepFields } = createTemplateActivities({ share, lookups, draining });
  const run = () => keepFields({ share: 'tender' });
  expect(await new MockActivityEnvironment().run(run)).toEqual({ share: 'tender', fields: 'written' });
  const kept = await share.readFields();
  const discipline = kept?.fields.find(({ label }) => label === 'Discipline');
  expect(discipline?.values.length).toBeGreaterThan(3);
  expect(kept?.fields.some(({ isPeople, values }) => isPeople && values.length > 0)).toBe(true);
  expect(await new MockActivityEnvironment().run(run)).toEqual({ share: 'tender', fields: 'fresh' });
});

test('how old the fields are is counted by the clock that they were noted by', async () => {
  let wallMs = Date.parse('2020-01-31T09:30:00Z');
  const clock = { ...systemClock, wallMs: () => wallMs };
  const share = await bed.open({ project }, { clock });
  const draining = new AbortController().signal;
  const lookups = new ProjectLookups(sandbox().client);
  const { keepFields } = createTemplateActivities({ share, lookups, draining, clock });
  const run = () => keepFields({ share: 'tender' });
  const seen = [];
  for (const passedMs of [0, 59_000, 2_000]) {
    wallMs += passedMs;
    seen.push(await new MockActivityEnvironment().run(run));
  }
  expect(seen).toMatchObject([{ fields: 'written' }, { fields: 'fresh' }, { fields: 'written' }]);
});

test('other settings are asked for anew, by what the worker knows already', async () => {
  const lookups = new ProjectLookups(sandbox().client);
  expect(await keep(await open(), lookups)).toBe('written');
  const asked = await requests();
  expect(await keep(await open({ Discipline: 'Structural' }), lookups)).toBe('written');
  expect(await requests()).toEqual(asked);
});

test('where a person has changed it, or none is wanted, nothing is asked for', async () => {
  const before = await requests();
  await bed.drop('../template.xlsx', 'of the office');
  expect(await keep(await open())).toBe('theirs');
  expect(await keep(await bed.open({ project }))).toBe('off');
  expect(await requests()).toEqual(before);
});

test('whatever its lists offer is read as that value again: each person, each location, each other value', async () => {
  await keep(await open());
  const sheet = await readSheet(await readFile(join(bed.root, 'template.xlsx')), 'template.xlsx');
  const reference = sheet.grids.find(({ name }) => name === 'Reference');
  const listed = (reference?.rows ?? []).slice(1).map(row => row.map(({ text }) => text));
  const lookups = new ProjectLookups(sandbox().client);
  const { fields } = await lookups.rules(project);
  let people = 0;
  for (const header of new Set(listed.map(([field]) => field ?? ''))) {
    const field = fields.find(({ label }) => label === header)!;
    const known = field.isUserReference
      ? await lookups.people(project)
      : await lookups.values(project, field);
    const active = known.filter(each => each.active);
    // Both what stands in the list and the code beside it, where it has one.
    for (const column of [1, 2]) {
      const texts = listed.flatMap(row => (row[0] === header && row[column] ? [row[column]] : []));
      const { decided } = await decidePlans(lookups, {
        project,
        defaults: {},
        register: {
          rules: { synonyms: {}, emptyWord: '-', unlisted: 'hold' },
          registers: [{ path: 'A/register.xlsx', headers: ['File', header] }],
        },
        documents: texts.map((text, index) => ({
          index,
          fileName: `${index}.pdf`,
          mimeType: 'application/pdf',
          values: {},
          entry: { register: 0, row: { number: index + 3, cells: [`${index}.pdf`, text] } },
        })),
      });
      const ids = decided.map(({ plan }) => plan.now.find(({ fieldId }) => fieldId === field.id)?.values);
      const expected = texts.map(text => {
        const meant = active.filter(each => [each.label, ...each.alternatives].includes(text));
        return meant.map(({ id }) => id);
      });
      expect(ids).toEqual(expected);
      if (column === 1) expect(new Set(ids.flat())).toEqual(new Set(active.map(({ id }) => id)));
      if (field.isUserReference) people += ids.length;
    }
  }
  expect(people).toBeGreaterThan(250);
});
