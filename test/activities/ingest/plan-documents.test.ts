// Requirements, fields and values looked up over real HTTP: pages, keywords,
// users, inactive entries, the cache.
import type { PlanDocumentsInput } from '../../../activities/ingest/api';
import { findStatus, planDocuments } from '../../../activities/ingest/plan-documents';
import { ProjectLookups } from '../../../activities/ingest/project-lookups';
import {
  AccessDeniedError,
  GoneError,
  NotFoundError,
  RequestRefusedError,
} from '../../../activities/service/errors';
import type { Sender } from '../../../activities/service/service-client';
import type { ValuesByField } from '../../../workflows/contract';
import { expandWrites } from '../../../workflows/ingest/decide/tabulate-writes';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../../sandbox/defaults';
import { useSandboxClient } from '../../setup/sandbox-client';
import { errorOf } from '../service/client-bed';

const project = { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain };
const defaults = { Type: 'Document', Status: 'S1', Revision: 'A' };
const bed = useSandboxClient();

async function plan(values: ValuesByField, lookups = new ProjectLookups(bed().client)) {
  const result = await planDocuments(lookups, {
    project,
    defaults,
    documents: [{ index: 0, fileName: 'plan.docx', mimeType: 'application/msword', values }],
  });
  const { fields } = await lookups.rules(project);
  const document = result.documents[0]!;
  const writes = expandWrites(result.fieldIds, document.now).map(
    ({ fieldId, values: written }) => [fields.find(({ id }) => id === fieldId)?.name, written] as const,
  );
  return { ...document, writes: Object.fromEntries(writes) };
}

test('labels, codes and ids mean the same entry; texts, numbers and dates are normalised', async () => {
  const byLabel = await plan({
    Discipline: 'structural',
    'Sheet Count': '12,5',
    'Received On': '2026-01-31',
    Description: ' as is ',
  });
  const byCode = await plan({ discipline: 'ST' });
  expect(byLabel.problems).toEqual([]);
  expect(byLabel.writes.discipline).toEqual(byCode.writes.discipline);
  expect(byLabel.writes).toMatchObject({
    sheet_count: ['12.5'],
    received_on: ['2026-01-31T00:00:00Z'],
    description: [' as is '],
  });
});

test('a name that people give is no value of the link, and told only where it was asked for', async () => {
  const document = { index: 0, fileName: 'a.docx', mimeType: 'application/msword' };
  const ask = async (values: ValuesByField, more: Pick<PlanDocumentsInput, 'withName'>) => {
    const input = { project, defaults: {}, documents: [{ ...document, values }], ...more };
    return (await planDocuments(new ProjectLookups(bed().client), input)).documents[0];
  };
  const fieldId = (await new ProjectLookups(bed().client).rules(project)).fields.find(
    ({ name }) => name === 'name',
  )?.id;
  expect(await ask({ Name: 'W-001' }, { withName: true })).toMatchObject({
    now: [],
    name: { fieldId, values: ['W-001'] },
  });
  expect(await ask({ Name: 'W-001' }, {})).not.toHaveProperty('name');
  expect(await ask({}, { withName: true })).not.toHaveProperty('name');
});

test('everything that is wrong with a document is said at once, with the nearest allowed values', async () => {
  const { problems } = await plan({
    Discipline: 'Structral',
    Originator: 'Elm Surveyors',
    Colour: 'red',
    'Sheet Count': 'many',
  });
  expect(problems.map(({ code }) => code).sort()).toEqual([
    'inactive-value',
    'malformed-value',
    'unknown-field',
    'unknown-value',
  ]);
  expect(problems.find(({ code }) => code === 'unknown-value')?.fix).toContain('Structural');
});

test.each(['Legacy Code', 'Internal Note', 'Uploaded By'])(
  '%s is inactive, invisible or readonly and cannot be set',
  async label => {
    const { problems } = await plan({ [label]: 'x' });
    expect(problems).toMatchObject([{ code: 'unknown-field' }]);
  },
);

test('a list over several pages is read whole, and of two equal labels the active one counts', async () => {
  const lookups = new ProjectLookups(bed().client);
  expect((await plan({ Supplier: 'Supplier 007' }, lookups)).problems.map(({ code }) => code)).not.toContain(
    'unknown-value',
  );
  const { problems, writes } = await plan({ Supplier: 'Supplier 100' }, lookups);
  expect(problems).toEqual([]);
  expect(writes.supplier).toEqual((await plan({ Supplier: 'SUP-100-BIS' }, lookups)).writes.supplier);
});

test('a list that is too long to fetch is asked by keyword, text by text', async () => {
  const lookups = new ProjectLookups(bed().client);
  for (let index = 0; index < 80; index++) {
    const edit = {
      kind: 'add-value',
      field: 'supplier',
      code: `X-${index}`,
      label: `Extra ${index}`,
    } as const;
    await bed().control.edit(project.projectId, edit);
  }
  const before = (await bed().control.requests())['field-values.list'] ?? 0;
  expect((await plan({ Supplier: 'Extra 79' }, lookups)).problems).toEqual([]);
  expect((await plan({ Supplier: 'Extra 79' }, lookups)).problems).toEqual([]);
  expect((await plan({ Supplier: 'Extra 7x' }, lookups)).problems).toMatchObject([{ code: 'unknown-value' }]);
  // A keyword finds names only; codes are looked for in the whole list.
  const { problems, writes } = await plan({ Supplier: 'X-78' }, lookups);
  expect(problems).toEqual([]);
  expect(writes.supplier).toEqual((await plan({ Supplier: 'Extra 78' }, lookups)).writes.supplier);
  // Two lists of the defaults, four pages until it is known to be long, one keyword for
  // each text, four pages once more.
  expect(((await bed().control.requests())['field-values.list'] ?? 0) - before).toBeLessThanOrEqual(14);
});

test('users are found by name whichever way it is written, over pages', async () => {
  const lookups = new ProjectLookups(bed().client);
  const { fields } = await lookups.rules(project);
  const field = fields.find(({ name }) => name === 'authored_by')!;
  const users = await lookups.candidates(project, field, '');
  expect(users.length).toBeGreaterThan(100);
  const { label, id, alternatives } = users[120]!;
  for (const spelling of [label, alternatives[1]!]) {
    expect((await plan({ 'Authored By': spelling }, lookups)).writes.authored_by).toEqual([id]);
  }
});

test('the people of a project are no list where the service does not show them, or where they are very many', async () => {
  expect(await new ProjectLookups(bed().client).people(project)).toHaveLength(130);
  const action = { kind: 'status', status: 403 } as const;
  await bed().control.addFault({ route: 'users.list', action });
  expect(await new ProjectLookups(bed().client).people(project)).toEqual([]);
  const pages: number[] = [];
  const send = async (_: unknown, { query }: { query: { page: number; perPage: number } }) => {
    pages.push(query.page);
    const data = Array.from({ length: query.perPage }, (_each, at) => ({ id: `${query.page}-${at}` }));
    return { data, status: 200, total: 50_000 };
  };
  const many = new ProjectLookups({ send } as unknown as ConstructorParameters<typeof ProjectLookups>[0]);
  expect(await many.people(project)).toEqual([]);
  expect(pages).toEqual([1, 2, 3]);
});

test('lookups cost their requests once, and again only when something was refused', async () => {
  const lookups = new ProjectLookups(bed().client);
  await Promise.all([plan({}, lookups), plan({}, lookups)]);
  const once = await bed().control.requests();
  expect(once['requirements.list']).toBe(1);
  expect(once['fields.list']).toBe(1);
  await planDocuments(lookups, { project, defaults, documents: [], refresh: true });
  expect((await bed().control.requests())['requirements.list']).toBe(2);
});

test('a lookup that failed is not kept', async () => {
  const lookups = new ProjectLookups(bed().client);
  await bed().control.addFault({ route: 'fields.list', action: { kind: 'html', status: 502 } });
  await errorOf(plan({}, lookups));
  expect((await plan({}, lookups)).problems).toEqual([]);
});

describe('a list that the service does not show', () => {
  /** Refuses the requests whose path parameter `field` or route is this. */
  function refusing(what: string, status: 400 | 403 | 404 | 410) {
    const facts = { effect: 'rejected', status } as const;
    const errors = {
      400: new RequestRefusedError('400', facts),
      403: new AccessDeniedError('403', facts),
      404: new NotFoundError('404', facts),
      410: new GoneError('410', facts),
    };
    let refused = 0;
    const send: Sender['send'] = async (endpoint, input) => {
      const { field } = (input.params ?? {}) as { readonly field?: string };
      if (endpoint.name !== what && (endpoint.name !== 'field-values.list' || field !== what))
        return await bed().client.send(endpoint, input);
      refused++;
      throw errors[status];
    };
    return { lookups: new ProjectLookups({ send } as Sender), refused: () => refused };
  }

  async function planSeveral(lookups: ProjectLookups, values: readonly ValuesByField[]) {
    const { documents } = await planDocuments(lookups, {
      project,
      defaults,
      documents: values.map((each, index) => ({
        index,
        fileName: `${index}.docx`,
        mimeType: 'application/msword',
        values: { Discipline: 'Structural', ...each },
      })),
    });
    return documents.map(({ problems }) => problems);
  }

  test.each([404, 403] as const)(
    'of people (%d) is a problem of the documents that name one',
    async status => {
      const { lookups, refused } = refusing('users.list', status);
      const authors = ['Ann', 'Bob', 'Cleo', 'Dan', 'Eve', 'Fay'].map(name => ({ 'Authored By': name }));
      const [other, ann, ...rest] = await planSeveral(lookups, [{}, ...authors]);
      expect(other).toEqual([]);
      expect(ann).toMatchObject([
        {
          code: 'list-not-shown',
          text: expect.stringContaining('"Ann" for "Authored By" could not be looked up'),
          fix: expect.stringContaining('Directory'),
        },
      ]);
      expect(rest.map(problems => problems.map(({ code }) => code))).toEqual(
        rest.map(() => ['list-not-shown']),
      );
      // Once it is known, nobody else is asked for.
      expect(refused()).toBeLessThanOrEqual(4);
    },
  );

  test.each([404, 410, 403, 400] as const)(
    'of a field (%d) is one of those that give a value for it',
    async status => {
      const { fields } = await new ProjectLookups(bed().client).rules(project);
      const { lookups } = refusing(fields.find(({ name }) => name === 'supplier')!.id, status);
      const [problems, others] = await planSeveral(lookups, [{ Supplier: 'Supplier 007' }, {}]);
      expect(problems).toMatchObject([{ code: 'list-not-shown' }]);
      expect(others).toEqual([]);
    },
  );

  test('is waited for where the share’s own defaults need it, and where the project shows nothing at all', async () => {
    const { fields } = await new ProjectLookups(bed().client).rules(project);
    const ofStatus = refusing(fields.find(({ name }) => name === 'status')!.id, 403);
    expect(await errorOf(planSeveral(ofStatus.lookups, [{}]))).toMatchObject({ code: 'ACCESS_DENIED' });
    const { lookups } = refusing('users.list', 403);
    await lookups.rules(project);
    await bed().control.addFault({ route: 'fields.list', action: { kind: 'status', status: 403 } });
    const error = await errorOf(planSeveral(lookups, [{ 'Authored By': 'Ann' }]));
    expect(error).toMatchObject({ code: 'ACCESS_DENIED' });
  });
});

test('wrong defaults are the configuration’s fault, not every document’s', async () => {
  const lookups = new ProjectLookups(bed().client);
  const error = await errorOf(
    planDocuments(lookups, { project, defaults: { Status: 'Nope' }, documents: [] }),
  );
  expect(error).toMatchObject({ code: 'MISCONFIGURED', message: expect.stringContaining('Nope') });
});

test('a pattern that reads what is no field is the configuration’s fault, and looked at anew once told', async () => {
  const lookups = new ProjectLookups(bed().client);
  const input = { project, defaults: {}, patternFields: ['Revision', 'disciplin', 'zone'], documents: [] };
  expect(await errorOf(planDocuments(lookups, input))).toMatchObject({
    code: 'MISCONFIGURED',
    message: expect.stringMatching(/^The patterns .*"disciplin".*nearest are: Discipline.*"zone"/),
  });
  const patternFields = ['Revision', 'discipline', 'zone'];
  expect(await errorOf(planDocuments(lookups, { ...input, patternFields }))).toMatchObject({
    message: expect.not.stringContaining('iscipline" '),
  });
  await bed().control.edit(project.projectId, {
    kind: 'add-field',
    name: 'zone',
    label: 'Zone',
    type: 'string',
  });
  await expect(planDocuments(lookups, { ...input, patternFields })).resolves.toMatchObject({ documents: [] });
});

test('a project that the service does not know is the configuration’s fault, named by its ids', async () => {
  const lookups = new ProjectLookups(bed().client);
  const wrong = { ...project, projectId: '9999' };
  expect(
    await errorOf(planDocuments(lookups, { project: wrong, defaults: {}, documents: [] })),
  ).toMatchObject({
    code: 'MISCONFIGURED',
    message: expect.stringMatching(/no project 9999 of company .*project\.projectId/),
  });
});

test('a conditional requirement asks for more, and nothing in sight fills it', async () => {
  expect(await plan({ Type: 'Drawing' })).toMatchObject({ hopeless: ['Number', 'Discipline'] });
});

test('a status is found by its name or refused with the nearest ones', async () => {
  const lookups = new ProjectLookups(bed().client);
  expect(await findStatus(lookups, { project, status: 'superseded' })).toMatchObject({ kind: 'found' });
  expect(await findStatus(lookups, { project, status: 'Archived' })).toMatchObject({
    kind: 'refused',
    reason: { code: 'inactive-value' },
  });
});

describe('a register', () => {
  const rules = { synonyms: { 'Doc No': 'Number' }, emptyWord: '-', unlisted: 'hold' } as const;
  const headers = ['File', 'Doc No', 'Discipline', 'Status', 'Sheet Count'];

  async function planRows(
    rows: readonly (readonly string[] | undefined)[],
    more: Partial<PlanDocumentsInput> & { answers?: ValuesByField } = {},
  ) {
    const { answers, ...input } = more;
    const lookups = new ProjectLookups(bed().client);
    const result = await planDocuments(lookups, {
      project,
      defaults,
      register: { rules, registers: [{ path: 'Job/register.xlsx', headers }] },
      documents: rows.map((cells, index) => ({
        index,
        fileName: `${index}.docx`,
        mimeType: 'application/msword',
        values: { Discipline: 'Structural', ...answers },
        ...(answers === undefined ? {} : { answers }),
        entry: { register: 0, ...(cells === undefined ? {} : { row: { number: index + 2, cells } }) },
      })),
      ...input,
    });
    const { fields } = await lookups.rules(project);
    const nameOf = (id: string) => fields.find(field => field.id === id)?.name ?? id;
    return result.documents.map(document => ({
      ...document,
      writes: Object.fromEntries(
        expandWrites(result.fieldIds, document.now).map(({ fieldId, values }) => [nameOf(fieldId), values]),
      ),
    }));
  }

  test('goes before names and defaults, and leaves empty what it says is empty', async () => {
    const [plain] = await planRows([undefined], {
      register: { rules: { ...rules, unlisted: 'process' }, registers: [{ path: 'r.csv', headers }] },
    });
    const [row] = await planRows([['0.docx', '0042', 'Electrical', '-', '12']]);
    expect(plain?.writes.status).toHaveLength(1);
    expect(row?.lacking).toBeUndefined();
    expect(row?.writes).toMatchObject({ number: ['0042'], sheet_count: ['12'] });
    expect(row?.writes.discipline).not.toEqual(plain?.writes.discipline);
    expect(row?.writes.status).toBeUndefined();
    expect(row?.hopeless).toEqual(['Status']);
  });

  test('tells all that is wrong in a row at once, and a file without one; its other rows go', async () => {
    const [wrong, right, none] = await planRows([
      ['0.docx', '1', 'Structral', '', 'many'],
      ['1.docx', '2', 'Electrical', '', '3'],
      undefined,
    ]);
    expect(wrong?.lacking?.missing).toEqual(['Discipline', 'Sheet Count']);
    expect(wrong?.lacking?.reason.text).toMatch(
      /^In "register.xlsx": Row 2, column C: "Structral" for "Discipline" .*Nearest: Structural.* Row 2, column E: "many" for "Sheet Count" is no number/,
    );
    expect(right).toMatchObject({ problems: [] });
    expect(right?.lacking).toBeUndefined();
    expect(none?.lacking?.reason.code).toBe('not-listed');
  });

  test('says of a value whose list the service does not show that it could not be looked up', async () => {
    await bed().control.addFault({ route: 'users.list', times: 0, action: { kind: 'status', status: 403 } });
    const more = {
      register: { rules, registers: [{ path: 'Job/r.xlsx', headers: ['File', 'Authored By'] }] },
    };
    const [row, other] = await planRows(
      [
        ['0.docx', 'Ann'],
        ['1.docx', ''],
      ],
      more,
    );
    expect(row?.lacking?.reason.text).toContain('"Ann" for "Authored By" could not be looked up');
    expect(other?.lacking).toBeUndefined();
  });

  test('is overruled by a person, and both by what the share forces', async () => {
    const [answered] = await planRows([['0.docx', '1', 'Structral', '', '']], {
      answers: { Discipline: 'Electrical' },
    });
    const [forced] = await planRows([['0.docx', '1', 'Structral', '', '']], {
      answers: { Discipline: 'Electrical' },
      forced: { discipline: 'Structural' },
    });
    const [other] = await planRows([['0.docx', '1', '', '', '']]);
    expect(answered).toMatchObject({ problems: [], writes: { discipline: [expect.any(String)] } });
    expect(answered?.lacking).toBeUndefined();
    expect(answered?.writes.discipline).not.toEqual(other?.writes.discipline);
    expect(forced?.writes.discipline).toEqual(other?.writes.discipline);
  });

  test('with a header that contradicts itself sets its documents apart, before anything is sent', async () => {
    const twice = { rules, registers: [{ path: 'r.csv', headers: ['File', 'Number', 'Doc No'] }] };
    const [row] = await planRows([['0.docx', '1', '2']], { register: twice });
    expect(row?.problems).toMatchObject([{ code: 'register-header' }]);
  });

  test("what a share forces and the project does not take is the configuration's fault", async () => {
    const error = await errorOf(planRows([undefined], { forced: { Colour: 'red' } }));
    expect(error).toMatchObject({ code: 'MISCONFIGURED' });
    expect((error as Error).message).toContain('The values of the share do not fit the project.');
  });
});
